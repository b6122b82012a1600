"""What tests are marked with: `pytest.mark.NAME`, and the parameters of `pytest.mark.parametrize`."""

import enum
import inspect


class Mark:
    """A mark: its name, and what it was called with."""

    def __init__(self, name, args=(), kwargs=None):
        self.name = name
        self.args = tuple(args)
        self.kwargs = dict(kwargs or {})

    def __repr__(self):
        return f"Mark(name={self.name!r}, args={self.args!r}, kwargs={self.kwargs!r})"


class MarkDecorator:
    """Marks what it decorates; called with anything else, the same mark with arguments."""

    def __init__(self, mark):
        self.mark = mark

    name = property(lambda self: self.mark.name)
    args = property(lambda self: self.mark.args)
    kwargs = property(lambda self: self.mark.kwargs)

    def with_args(self, *args, **kwargs):
        return MarkDecorator(Mark(self.name, self.args + args, {**self.kwargs, **kwargs}))

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and (inspect.isfunction(args[0]) or inspect.isclass(args[0])):
            target = args[0]
            # What a class inherits is not its own.
            own = target.__dict__.get("pytestmark", []) if inspect.isclass(target) else getattr(target, "pytestmark", [])
            target.pytestmark = _listed(own) + [self.mark]
            return target
        return self.with_args(*args, **kwargs)

    def __repr__(self):
        return f"MarkDecorator(mark={self.mark!r})"


class _Marks:
    """`pytest.mark`"""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError("Marker name must NOT start with underscore")
        return MarkDecorator(Mark(name))


mark = _Marks()


def _listed(marks):
    return list(marks) if isinstance(marks, (list, tuple)) else [marks]


def marks_of(target):
    """The marks that stand on a function, a class or a module."""
    if inspect.isclass(target):
        found = []
        for cls in reversed(target.__mro__):
            found += _listed(cls.__dict__.get("pytestmark", []))
    else:
        found = _listed(getattr(target, "pytestmark", []))
    return [each.mark if isinstance(each, MarkDecorator) else each for each in found]


class ParameterSet(tuple):
    """The values of one case, with marks and a name of its own."""

    def __new__(cls, values, marks=(), id=None):
        self = super().__new__(cls, values)
        self.marks = [each.mark if isinstance(each, MarkDecorator) else each for each in _listed(marks)]
        self.id = id
        return self


def param(*values, marks=(), id=None):
    """A case of `parametrize`, with marks and a name of its own."""
    return ParameterSet(values, marks, id)


class Cases:
    """What one `parametrize` asks for: the names of parameters, and values, a name and marks for each case."""

    def __init__(self, argnames, argvalues, indirect=False, ids=None, scope=None):
        if isinstance(argnames, str):
            names = [name.strip() for name in argnames.split(",") if name.strip()]
            self.is_single = len(names) == 1 and "," not in argnames
        else:
            names = list(argnames)
            self.is_single = False
        self.names = names
        self.indirect = names if indirect is True else list(indirect or [])
        self.sets = [self._set(value) for value in argvalues]
        self.ids = self._ids(ids)
        if not self.sets:
            # Without values there is one test, which is skipped.
            why = Mark("skip", kwargs={"reason": f"got empty parameter set for ({', '.join(names)})"})
            self.sets, self.ids = [ParameterSet([None] * len(names), [why])], ["NOTSET"]

    def _set(self, value):
        if isinstance(value, ParameterSet):
            values = value
        elif self.is_single:
            values = ParameterSet([value])
        else:
            values = ParameterSet(value)
        if len(values) != len(self.names):
            raise ValueError(
                f"in \"parametrize\" the number of names ({len(self.names)}):\n  {self.names}\n"
                f"must be equal to the number of values ({len(values)}):\n  {tuple(values)}"
            )
        return values

    def _ids(self, ids):
        given = ids if callable(ids) else None
        listed = None if ids is None or callable(ids) else list(ids)
        found = []
        for at, values in enumerate(self.sets):
            if values.id is not None:
                found.append(str(values.id))
            elif listed is not None and at < len(listed) and listed[at] is not None:
                found.append(_text(listed[at]) or str(listed[at]))
            else:
                parts = [id_of(name, value, at, given) for name, value in zip(self.names, values)]
                found.append("-".join(parts))
        return _distinct(found)

    def __iter__(self):
        return iter(zip(self.sets, self.ids))


def _distinct(ids):
    """Ids that occur several times are numbered."""
    repeated = {each for each in ids if ids.count(each) > 1}
    seen = {}
    distinct = []
    for each in ids:
        if each in repeated:
            # What ends with a digit is set apart.
            stem = each + ("_" if each[-1:].isdigit() else "")
            number = seen.get(each, 0)
            while f"{stem}{number}" in ids:
                number += 1
            seen[each] = number + 1
            each = f"{stem}{number}"
        distinct.append(each)
    return distinct


def id_of(name, value, at, given=None):
    """How a value is called in the name of a test."""
    if given is not None:
        own = given(value)
        if own is not None:
            return _text(own) or str(own)
    text = _text(value)
    return f"{name}{at}" if text is None else text


def _text(value):
    if isinstance(value, enum.Enum):
        return str(value)
    if value is None or isinstance(value, (str, int, float, bool, complex)):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("ascii", "backslashreplace")
    own = getattr(value, "__name__", None)
    return own if isinstance(own, str) else None

"""Stand-ins for objects, and replacing attributes for a while. Awaiting and autospec are not provided."""

import functools
import sys


class _Default:
    def __repr__(self):
        return "sentinel.DEFAULT"


DEFAULT = _Default()


class _Any:
    """Equal to everything."""

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __repr__(self):
        return "<ANY>"


ANY = _Any()


class call(tuple):
    """A call with its arguments, to be compared with the calls that a mock saw."""

    def __new__(cls, *args, **kwargs):
        return tuple.__new__(cls, (args, kwargs))

    @property
    def args(self):
        return self[0]

    @property
    def kwargs(self):
        return self[1]

    def __repr__(self):
        shown = [repr(value) for value in self[0]] + [f"{name}={value!r}" for name, value in self[1].items()]
        return f"call({', '.join(shown)})"


class NonCallableMock:
    """Has every attribute; each is a mock."""

    def __init__(self, spec=None, name=None, **attributes):
        self._mock_name = name
        self._mock_children = {}
        self._mock_spec = None if spec is None else set(dir(spec))
        for attribute, value in attributes.items():
            setattr(self, attribute, value)

    def __getattr__(self, name):
        if name.startswith("__") or name.startswith("_mock_") or name.startswith("assert"):
            raise AttributeError(name)
        if self._mock_spec is not None and name not in self._mock_spec:
            raise AttributeError(f"Mock object has no attribute {name!r}")
        children = self._mock_children
        if name not in children:
            children[name] = type(self)(name=name)
        return children[name]

    def __repr__(self):
        name = f" name='{self._mock_name}'" if self._mock_name else ""
        return f"<{type(self).__name__}{name} id='{id(self)}'>"


class Mock(NonCallableMock):
    """Remembers how it was called."""

    def __init__(self, spec=None, side_effect=None, return_value=DEFAULT, wraps=None, name=None, **attributes):
        super().__init__(spec=spec, name=name, **attributes)
        self.side_effect = side_effect
        self._mock_return = return_value
        self._mock_wraps = wraps
        self.reset_mock()

    def reset_mock(self):
        self.called = False
        self.call_count = 0
        self.call_args = None
        self.call_args_list = []
        self.mock_calls = []

    @property
    def return_value(self):
        if self._mock_return is DEFAULT:
            self._mock_return = type(self)(name="return_value")
        return self._mock_return

    @return_value.setter
    def return_value(self, value):
        self._mock_return = value

    def __call__(self, *args, **kwargs):
        self.called = True
        self.call_count += 1
        self.call_args = call(*args, **kwargs)
        self.call_args_list.append(self.call_args)
        self.mock_calls.append(self.call_args)
        effect = self.side_effect
        if effect is not None:
            if isinstance(effect, BaseException) or (isinstance(effect, type) and issubclass(effect, BaseException)):
                raise effect
            if callable(effect):
                result = effect(*args, **kwargs)
            else:
                if not hasattr(effect, "__next__"):
                    effect = self.side_effect = iter(effect)
                result = next(effect)
                if isinstance(result, BaseException):
                    raise result
            if result is not DEFAULT:
                return result
        if self._mock_wraps is not None and self._mock_return is DEFAULT:
            return self._mock_wraps(*args, **kwargs)
        return self.return_value

    def assert_called(self):
        if not self.called:
            raise AssertionError(f"Expected '{self._mock_name or 'mock'}' to have been called.")

    def assert_not_called(self):
        if self.called:
            raise AssertionError(
                f"Expected '{self._mock_name or 'mock'}' to not have been called. Called {self.call_count} times."
            )

    def assert_called_once(self):
        if self.call_count != 1:
            raise AssertionError(
                f"Expected '{self._mock_name or 'mock'}' to have been called once. Called {self.call_count} times."
            )

    def assert_called_with(self, *args, **kwargs):
        expected = call(*args, **kwargs)
        if self.call_args is None:
            raise AssertionError(f"expected call not found.\nExpected: {expected}\n  Actual: not called.")
        if self.call_args != expected:
            raise AssertionError(f"expected call not found.\nExpected: {expected}\n  Actual: {self.call_args}")

    def assert_called_once_with(self, *args, **kwargs):
        self.assert_called_once()
        self.assert_called_with(*args, **kwargs)

    def assert_any_call(self, *args, **kwargs):
        expected = call(*args, **kwargs)
        if expected not in self.call_args_list:
            raise AssertionError(f"{expected} call not found")


class MagicMock(Mock):
    """A mock with the special methods that containers and context managers have."""

    def __len__(self):
        return 0

    def __iter__(self):
        return iter([])

    def __contains__(self, item):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def __bool__(self):
        return True

    def __getitem__(self, key):
        return type(self)()


class _Patch:
    """Replaces an attribute while it is entered; also a decorator of functions and classes."""

    def __init__(self, get_target, attribute, new, create, kwargs):
        self._get_target = get_target
        self.attribute = attribute
        self.new = new
        self.create = create
        self.kwargs = kwargs

    def __enter__(self):
        target = self._get_target()
        self.target = target
        own = vars(target) if hasattr(target, "__dict__") else {}
        self.local = self.attribute in own
        if self.local:
            self.before = own[self.attribute]
        elif hasattr(target, self.attribute):
            self.before = getattr(target, self.attribute)
        elif self.create:
            self.before = DEFAULT
        else:
            raise AttributeError(f"{target} does not have the attribute {self.attribute!r}")
        new = MagicMock(name=self.attribute, **self.kwargs) if self.new is DEFAULT else self.new
        setattr(target, self.attribute, new)
        return new

    def __exit__(self, *exc):
        if self.local:
            setattr(self.target, self.attribute, self.before)
        else:
            delattr(self.target, self.attribute)
        return False

    def start(self):
        return self.__enter__()

    def stop(self):
        return self.__exit__(None, None, None)

    def __call__(self, item):
        if isinstance(item, type):
            for name in list(vars(item)):
                if name.startswith("test") and callable(getattr(item, name)):
                    setattr(item, name, self(getattr(item, name)))
            return item

        @functools.wraps(item)
        def patched(*args, **kwargs):
            with self as new:
                extra = (new,) if self.new is DEFAULT else ()
                return item(*args, *extra, **kwargs)

        return patched


def _imported(path):
    module = __import__(path.split(".")[0])
    for end in range(2, path.count(".") + 2):
        name = ".".join(path.split(".")[:end])
        try:
            __import__(name)
        except ImportError:
            pass
    for part in path.split(".")[1:]:
        module = getattr(module, part)
    return module


def patch(target, new=DEFAULT, spec=None, create=False, **kwargs):
    """Replaces what a dotted path names."""
    path, _, attribute = target.rpartition(".")
    if not path:
        raise TypeError(f"Need a valid target to patch. You supplied: {target!r}")
    return _Patch(lambda: _imported(path), attribute, new, create, kwargs)


def _patch_object(target, attribute, new=DEFAULT, spec=None, create=False, **kwargs):
    """Replaces an attribute of an object."""
    return _Patch(lambda: target, attribute, new, create, kwargs)


class _PatchDict:
    """Changes a dict while it is entered."""

    def __init__(self, in_dict, values=(), clear=False, **kwargs):
        self.in_dict = _imported(in_dict) if isinstance(in_dict, str) else in_dict
        self.values = {**dict(values), **kwargs}
        self.clear = clear

    def __enter__(self):
        self.before = dict(self.in_dict)
        if self.clear:
            self.in_dict.clear()
        self.in_dict.update(self.values)
        return self.in_dict

    def __exit__(self, *exc):
        self.in_dict.clear()
        self.in_dict.update(self.before)
        return False

    def start(self):
        return self.__enter__()

    def stop(self):
        return self.__exit__(None, None, None)

    def __call__(self, function):
        @functools.wraps(function)
        def patched(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return patched


patch.object = _patch_object
patch.dict = _PatchDict

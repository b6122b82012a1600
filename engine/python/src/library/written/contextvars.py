"""`contextvars`: variables whose values belong to a context. There is one thread here, so that the current context is the last that
was entered."""

__all__ = ["Context", "ContextVar", "Token", "copy_context"]

_MISSING = object()


class Context:
    """Values of variables."""

    def __init__(self):
        self._values = {}
        self._entered = False

    def run(self, callable, *args, **kwargs):
        if self._entered:
            raise RuntimeError(f"cannot enter context: {self!r} is already entered")
        global _current
        before, _current, self._entered = _current, self, True
        try:
            return callable(*args, **kwargs)
        finally:
            _current, self._entered = before, False

    def copy(self):
        copied = Context()
        copied._values.update(self._values)
        return copied

    def get(self, key, default=None):
        return self._values.get(key, default)

    def keys(self):
        return self._values.keys()

    def values(self):
        return self._values.values()

    def items(self):
        return self._values.items()

    def __getitem__(self, key):
        return self._values[key]

    def __contains__(self, key):
        return key in self._values

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)


_current = Context()
_current._entered = True


class Token:
    """What a variable was before it was set."""

    MISSING = _MISSING

    def __init__(self, var, old_value):
        self._var, self._old_value, self._context, self._used = var, old_value, _current, False

    def __class_getitem__(cls, item):
        return cls

    @property
    def var(self):
        return self._var

    @property
    def old_value(self):
        return self._old_value


class ContextVar:
    """A variable of the current context."""

    def __init__(self, name, *, default=_MISSING):
        if not isinstance(name, str):
            raise TypeError("context variable name must be a str")
        self._name, self._default = name, default

    def __class_getitem__(cls, item):
        return cls

    @property
    def name(self):
        return self._name

    def get(self, default=_MISSING, /):
        for value in (_current._values.get(self, _MISSING), default, self._default):
            if value is not _MISSING:
                return value
        raise LookupError(self)

    def set(self, value, /):
        token = Token(self, _current._values.get(self, _MISSING))
        _current._values[self] = value
        return token

    def reset(self, token, /):
        if not isinstance(token, Token):
            raise TypeError(f"expected an instance of Token, got {token!r}")
        if token._used:
            raise RuntimeError(f"{token!r} has already been used once")
        if token._var is not self:
            raise ValueError(f"{token!r} was created by a different ContextVar")
        if token._context is not _current:
            raise ValueError(f"{token!r} was created in a different Context")
        token._used = True
        if token._old_value is _MISSING:
            del _current._values[self]
        else:
            _current._values[self] = token._old_value

    def __repr__(self):
        default = "" if self._default is _MISSING else f" default={self._default!r}"
        return f"<ContextVar name={self._name!r}{default} at {id(self):#x}>"


def copy_context():
    return _current.copy()

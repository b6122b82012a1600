"""pydantic.dataclasses: the standard library's dataclasses, whose fields are checked for bounds."""

import dataclasses as _dataclasses
import functools as _functools

import pydantic as _pydantic


def dataclass(_cls=None, *, init=False, repr=True, eq=True, order=False, unsafe_hash=False, frozen=False, config=None,
              validate_on_init=None, kw_only=False, slots=False):
    """A dataclass whose fields are checked for bounds."""

    def make(cls):
        bounds = {}
        for name in list(cls.__dict__.get("__annotations__", {})):
            info = cls.__dict__.get(name)
            if isinstance(info, _pydantic.FieldInfo):
                bounds[name] = info.bounds
                if info.default_factory is not None:
                    setattr(cls, name, _dataclasses.field(default_factory=info.default_factory))
                elif info.default is not _dataclasses.MISSING:
                    setattr(cls, name, info.default)
                else:
                    delattr(cls, name)
        made = _dataclasses.dataclass(
            cls, repr=repr, eq=eq, order=order, unsafe_hash=unsafe_hash, frozen=frozen, kw_only=kw_only
        )
        plain = made.__init__

        @_functools.wraps(plain)
        def __init__(self, *args, **kwargs):
            plain(self, *args, **kwargs)
            if type(self) is not made:
                return
            errors = []
            for name, limits in bounds.items():
                _pydantic._check_bounds(limits, getattr(self, name), name, errors)
            if errors:
                raise _pydantic.ValidationError(made.__name__, errors)
            _pydantic._check_instance(self, made, [field.name for field in _dataclasses.fields(made)])

        made.__init__ = __init__
        made.__pydantic_config__ = config or {}
        return made

    return make if _cls is None else make(_cls)


def is_pydantic_dataclass(cls):
    """Whether `dataclass` has made it."""
    return hasattr(cls, "__pydantic_config__")


def rebuild_dataclass(cls, **options):
    """Nothing to do."""

"""pydantic: dataclasses and models whose fields are checked for bounds. Types are not converted."""

import copy as _copy
import dataclasses as _dataclasses
from typing import Annotated, Any, get_args, get_origin, get_type_hints

_MISSING = _dataclasses.MISSING


class PydanticUserError(TypeError):
    """A model that is written wrongly."""


class ValidationError(ValueError):
    """Values that a model refuses."""

    def __init__(self, title, errors):
        self.title, self._errors = title, errors
        lines = [f"{len(errors)} validation error{'s' if len(errors) != 1 else ''} for {title}"]
        for error in errors:
            value = error["input"]
            place = ".".join(str(part) for part in error["loc"])
            lines.append(f"{place}\n  {error['msg']} [type={error['type']}, input_value={value!r}, "
                         f"input_type={type(value).__name__}]" if place else f"  {error['msg']}")
        super().__init__("\n".join(lines))

    def errors(self):
        return self._errors

    def error_count(self):
        return len(self._errors)


def ConfigDict(**settings):
    """The settings."""
    return settings


class FieldInfo:
    """What is said of a field: its default and its bounds."""

    def __init__(self, default=_MISSING, default_factory=None, **bounds):
        self.default, self.default_factory = default, default_factory
        self.bounds = {name: value for name, value in bounds.items() if value is not None}
        self.annotation = None

    def is_required(self):
        return self.default is _MISSING and self.default_factory is None

    def get_default(self, call_default_factory=True):
        return self.default_factory() if self.default_factory is not None else _copy.deepcopy(self.default)


def Field(default=_MISSING, *, default_factory=None, gt=None, ge=None, lt=None, le=None, multiple_of=None,
          min_length=None, max_length=None, **others):
    """A field with a default and bounds."""
    return FieldInfo(_MISSING if default is ... else default, default_factory, gt=gt, ge=ge, lt=lt, le=le,
                     multiple_of=multiple_of, min_length=min_length, max_length=max_length)


class AfterValidator:
    """Calls a function with the value."""

    def __init__(self, func):
        self.func = func


class BeforeValidator(AfterValidator):
    """Calls a function with the value."""


class PlainValidator(AfterValidator):
    """Calls a function with the value."""


class _Ignored:
    def __init__(self, *args, **kwargs):
        pass


class WrapValidator(_Ignored):
    """Ignored."""


class PlainSerializer(_Ignored):
    """Ignored."""


class WrapSerializer(_Ignored):
    """Ignored."""


class GetPydanticSchema(_Ignored):
    """Ignored."""


class SerializeAsAny:
    """The type itself."""

    def __class_getitem__(cls, item):
        return item


class AnyInstanceOf(SerializeAsAny):
    """The type itself."""


class InstanceOf(SerializeAsAny):
    """The type itself."""


class ImportString(SerializeAsAny):
    """The type itself; its values are written by name."""

    @staticmethod
    def _serialize(v):
        if hasattr(v, "__module__") and hasattr(v, "__name__"):
            return f"{v.__module__}.{v.__name__}"
        streams = {"<stdout>": "sys.stdout", "<stdin>": "sys.stdin", "<stderr>": "sys.stderr"}
        return streams.get(getattr(v, "name", None), v)


SkipValidation = InstanceOf
Json = SerializeAsAny
SerializationInfo = ValidationInfo = Any
StrictBool, StrictInt, StrictFloat, StrictStr = bool, int, float, str
PositiveInt = Annotated[int, Field(gt=0)]
NonNegativeInt = Annotated[int, Field(ge=0)]
NegativeInt = Annotated[int, Field(lt=0)]
NonPositiveInt = Annotated[int, Field(le=0)]
PositiveFloat = Annotated[float, Field(gt=0)]
NonNegativeFloat = Annotated[float, Field(ge=0)]

_BOUNDS = {
    "multiple_of": (lambda value, bound: value % bound == 0, "multiple_of", "Input should be a multiple of {}"),
    "gt": (lambda value, bound: value > bound, "greater_than", "Input should be greater than {}"),
    "ge": (lambda value, bound: value >= bound, "greater_than_equal", "Input should be greater than or equal to {}"),
    "lt": (lambda value, bound: value < bound, "less_than", "Input should be less than {}"),
    "le": (lambda value, bound: value <= bound, "less_than_equal", "Input should be less than or equal to {}"),
    "min_length": (lambda value, bound: len(value) >= bound, "too_short", "Input should have at least {} items"),
    "max_length": (lambda value, bound: len(value) <= bound, "too_long", "Input should have at most {} items"),
}


def _check_bounds(bounds, value, place, errors):
    for name, (holds, kind, message) in _BOUNDS.items():
        if name not in bounds or value is None:
            continue
        bound = bounds[name]
        try:
            fits = holds(value, bound)
        except TypeError:
            continue
        if not fits:
            errors.append({"type": kind, "loc": (place,), "msg": message.format(bound), "input": value})
            return


def _check(hint, value, place, errors):
    """The value as the type's validators leave it; what it breaks is added to `errors`."""
    metadata = getattr(hint, "__metadata__", None)
    if metadata is not None:
        value = _check(get_args(hint)[0], value, place, errors)
        for item in metadata:
            if isinstance(item, FieldInfo):
                _check_bounds(item.bounds, value, place, errors)
            elif isinstance(item, AfterValidator):
                try:
                    value = item.func(value)
                except (ValueError, AssertionError) as error:
                    kind, word = ("value_error", "Value") if isinstance(error, ValueError) else (
                        "assertion_error", "Assertion")
                    errors.append({"type": kind, "loc": (place,), "msg": f"{word} error, {error}" if word == "Value"
                                   else f"Assertion failed, {error}", "input": value})
        return value
    if hint is int and isinstance(value, (str, bytes, list, tuple, dict)):
        errors.append({"type": "int_parsing" if isinstance(value, str) else "int_type", "loc": (place,),
                       "msg": "Input should be a valid integer", "input": value})
    arguments = [argument for argument in get_args(hint) if argument is not type(None)]
    if len(arguments) == 1 and len(get_args(hint)) == 2 and value is not None and get_origin(hint) not in (
            dict, list, set, tuple):
        return _check(arguments[0], value, place, errors)
    return value


def _hints(cls):
    try:
        return get_type_hints(cls, include_extras=True)
    except Exception:
        found = {}
        for base in reversed(cls.__mro__):
            found.update(base.__dict__.get("__annotations__", {}))
        return {name: hint for name, hint in found.items() if not isinstance(hint, str)}


def _validators(cls, kind):
    return [(name, value) for base in reversed(cls.__mro__) for name, value in base.__dict__.items()
            if getattr(_inner(value), kind, None) is not None]


def _inner(value):
    return getattr(value, "__func__", value)


def _check_instance(self, cls, names):
    errors, hints = [], _hints(cls)
    for name in names:
        value = getattr(self, name)
        checked = _check(hints[name], value, name, errors) if name in hints else value
        for _, method in _validators(cls, "_pydantic_fields"):
            if name in _inner(method)._pydantic_fields or "*" in _inner(method)._pydantic_fields:
                try:
                    checked = _inner(method)(cls, checked)
                except (ValueError, AssertionError) as error:
                    prefix = "Value error" if isinstance(error, ValueError) else "Assertion failed"
                    errors.append({"type": "value_error", "loc": (name,), "msg": f"{prefix}, {error}", "input": value})
        if checked is not value:
            object.__setattr__(self, name, checked)
    if not errors:
        for _, method in _validators(cls, "_pydantic_mode"):
            if _inner(method)._pydantic_mode == "after":
                try:
                    _inner(method)(self)
                except (ValueError, AssertionError) as error:
                    prefix = "Value error" if isinstance(error, ValueError) else "Assertion failed"
                    errors.append({"type": "value_error", "loc": (), "msg": f"{prefix}, {error}", "input": self})
    if errors:
        raise ValidationError(cls.__name__, errors)


def field_validator(*fields, mode="after", check_fields=None):
    """A method that checks these fields."""

    def decorate(function):
        _inner(function)._pydantic_fields = fields
        return function

    return decorate


def model_validator(*, mode):
    """A method that checks the model."""

    def decorate(function):
        _inner(function)._pydantic_mode = mode
        return function

    return decorate


def field_serializer(*fields, **options):
    """The method itself."""
    return lambda function: function


def model_serializer(function=None, **options):
    """The method itself."""
    return (lambda method: method) if function is None else function


def computed_field(function=None, **options):
    """A property."""
    make = lambda method: method if isinstance(method, property) else property(method)
    return make if function is None else make(function)


def validate_call(function=None, **options):
    """The function itself."""
    return (lambda inner: inner) if function is None else function


class BaseModel:
    """A model: fields are annotations, and are given by keyword."""

    model_config = {}
    model_fields = {}

    def __init_subclass__(cls, **settings):
        fields = dict(cls.__mro__[1].__dict__.get("model_fields", {}))
        for name, annotation in cls.__dict__.get("__annotations__", {}).items():
            if name.startswith("_") or name == "model_config" or "ClassVar" in str(annotation):
                continue
            default = cls.__dict__.get(name, _MISSING)
            info = default if isinstance(default, FieldInfo) else FieldInfo(default)
            info.annotation = annotation
            fields[name] = info
            if name in cls.__dict__:
                delattr(cls, name)
        cls.model_fields = fields
        cls.model_config = {**cls.__mro__[1].__dict__.get("model_config", {}), **cls.__dict__.get("model_config", {}),
                            **settings}

    def __init__(self, /, **data):
        cls = type(self)
        for _, method in _validators(cls, "_pydantic_mode"):
            if _inner(method)._pydantic_mode == "before":
                data = _inner(method)(cls, data)
        errors = []
        for name, info in cls.model_fields.items():
            if name in data:
                object.__setattr__(self, name, data[name])
            elif info.is_required():
                errors.append({"type": "missing", "loc": (name,), "msg": "Field required", "input": data})
            else:
                object.__setattr__(self, name, info.get_default())
        extra = [name for name in data if name not in cls.model_fields]
        behaviour = cls.model_config.get("extra", "ignore")
        for name in extra:
            if behaviour == "forbid":
                errors.append({"type": "extra_forbidden", "loc": (name,), "msg": "Extra inputs are not permitted",
                               "input": data[name]})
            elif behaviour == "allow":
                object.__setattr__(self, name, data[name])
        for name, info in cls.model_fields.items():
            if name in data:
                _check_bounds(info.bounds, data[name], name, errors)
        if errors:
            raise ValidationError(cls.__name__, errors)
        _check_instance(self, cls, list(cls.model_fields))
        self.model_post_init(None)

    def model_post_init(self, context, /):
        """Called when the fields are set."""

    def __setattr__(self, name, value):
        if type(self).model_config.get("frozen"):
            error = {"type": "frozen_instance", "loc": (name,), "msg": "Instance is frozen", "input": value}
            raise ValidationError(type(self).__name__, [error])
        object.__setattr__(self, name, value)

    def __eq__(self, other):
        return type(self) is type(other) and self.model_dump() == other.model_dump()

    def __hash__(self):
        if not type(self).model_config.get("frozen"):
            raise TypeError(f"unhashable type: '{type(self).__name__}'")
        return hash((type(self), *(getattr(self, name) for name in type(self).model_fields)))

    def __iter__(self):
        return iter([(name, getattr(self, name)) for name in type(self).model_fields])

    def __repr__(self):
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).model_fields)
        return f"{type(self).__name__}({fields})"

    def __str__(self):
        return " ".join(f"{name}={getattr(self, name)!r}" for name in type(self).model_fields)

    def model_dump(self, **options):
        dumped = {}
        for name in type(self).model_fields:
            value = getattr(self, name)
            dumped[name] = value.model_dump() if isinstance(value, BaseModel) else value
        return dumped

    def model_copy(self, *, update=None, deep=False):
        made = _copy.copy(self) if not deep else _copy.deepcopy(self)
        for name, value in (update or {}).items():
            object.__setattr__(made, name, value)
        return made

    @classmethod
    def model_validate(cls, obj, **options):
        return obj if isinstance(obj, cls) else cls(**obj)

    @classmethod
    def model_construct(cls, _fields_set=None, **values):
        made = cls.__new__(cls)
        for name, info in cls.model_fields.items():
            object.__setattr__(made, name, values[name] if name in values else info.get_default())
        return made


class TypeAdapter:
    """Checks values of a type."""

    def __init__(self, type, **options):
        self._type = type

    def __class_getitem__(cls, item):
        return cls

    def validate_python(self, value, **options):
        errors = []
        value = _check(self._type, value, "", errors)
        if errors:
            raise ValidationError(str(self._type), errors)
        return value

    def dump_python(self, value, **options):
        return value

    def dump_json(self, value, **options):
        """The value as JSON; values of classes that write themselves are left to pydantic_core."""
        import json

        try:
            return json.dumps(_plain(value), indent=options.get("indent"), separators=(",", ":")).encode()
        except _WritesItself:
            try:
                import pydantic_core
            except ImportError:
                text = "the JSON of classes that write themselves is not provided by the workbench"
                raise NotImplementedError(f"{text} without pydantic_core") from None
            return pydantic_core.to_json(value, **options)


class _WritesItself(TypeError):
    """A value whose JSON is not known here."""


def _plain(value):
    """Containers, dataclasses and models as what JSON has."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, BaseModel):
        return _plain(value.model_dump())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    own = hasattr(type(value), "__get_pydantic_core_schema__")
    if _dataclasses.is_dataclass(value) and not isinstance(value, type) and not own:
        return {field.name: _plain(getattr(value, field.name)) for field in _dataclasses.fields(value)}
    raise _WritesItself(f"Unable to serialize unknown type: {type(value)}")


def create_model(name, /, *, __base__=None, **fields):
    """A model made from keywords: `name=(type, default)`."""
    namespace = {"__annotations__": {field: kind for field, (kind, _) in fields.items()}}
    namespace.update({field: default for field, (_, default) in fields.items() if default is not ...})
    return type(name, (__base__ or BaseModel,), namespace)


from pydantic import dataclasses

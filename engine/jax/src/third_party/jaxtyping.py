"""jaxtyping: annotations of arrays with dtype and shape. Nothing is checked when functions are called."""

import numpy as _np
from typing import Any, Union

import jax as _jax
from jax import Array
from jax.typing import ArrayLike, DTypeLike


class _MetaArray(type):
    def __instancecheck__(cls, value):
        return cls._fits(value)

    def __subclasscheck__(cls, other):
        return False


class AbstractArray(metaclass=_MetaArray):
    """What `Float[Array, "rows columns"]` is derived from."""

    @classmethod
    def _fits(cls, value):
        if not hasattr(value, "dtype") or not hasattr(value, "shape"):
            return False
        if cls.array_type not in (Any, None) and not isinstance(value, cls.array_type):
            return False
        if cls.dtypes is not None and str(value.dtype) not in cls.dtypes:
            return False
        return _shape_fits(cls.dim_str.split(), tuple(value.shape))


def _shape_fits(axes, shape):
    """Whether numbers agree and names that come twice have one length."""
    many = [index for index, axis in enumerate(axes) if axis == "..." or axis.lstrip("#?_").startswith("*")]
    if len(many) > 1:
        return False
    if many:
        before, after = axes[: many[0]], axes[many[0] + 1 :]
        if len(shape) < len(before) + len(after):
            return False
        axes = before + after
        shape = shape[: len(before)] + shape[len(shape) - len(after) :]
    if len(axes) != len(shape):
        return False
    lengths = {}
    for axis, length in zip(axes, shape):
        if axis.startswith("_"):
            continue
        broadcasts = axis.startswith("#")
        axis = axis.lstrip("#?").split("=")[-1]
        if broadcasts and length == 1:
            continue
        if axis.isdecimal():
            if int(axis) != length:
                return False
        elif axis.isidentifier() and lengths.setdefault(axis, length) != length:
            return False
    return True


class _MetaDtype(type):
    def __getitem__(cls, item):
        array_type, dim_str = item
        name = f"{cls.__name__}[{getattr(array_type, '__name__', array_type)}, {dim_str!r}]"
        dtypes = cls.dtypes
        if isinstance(array_type, type) and issubclass(type(array_type), _MetaArray):
            # `Float[Float[Array, "a"], "b"]`: the outer axes come first.
            dim_str = f"{dim_str} {array_type.dim_str}"
            array_type = array_type.array_type
        fields = {"array_type": array_type, "dim_str": dim_str, "dtypes": dtypes, "dtype": cls}
        return _MetaArray(name, (AbstractArray,), fields)


class AbstractDtype(metaclass=_MetaDtype):
    """What `Float` and its like are derived from."""

    dtypes = None


def _dtype(name, *dtypes):
    return _MetaDtype(name, (AbstractDtype,), {"dtypes": frozenset(dtypes) if dtypes else None, "__module__": __name__})


_UINTS = ("uint2", "uint4", "uint8", "uint16", "uint32", "uint64")
_INTS = ("int2", "int4", "int8", "int16", "int32", "int64")
_FLOATS = (
    "float4_e2m1fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "bfloat16", "float16", "float32", "float64",
)
_COMPLEX = ("complex64", "complex128")

UInt2, UInt4, UInt8, UInt16, UInt32, UInt64 = (_dtype(n.replace("uint", "UInt"), n) for n in _UINTS)
Int2, Int4, Int8, Int16, Int32, Int64 = (_dtype(n.replace("int", "Int"), n) for n in _INTS)
Float8e4m3b11fnuz = _dtype("Float8e4m3b11fnuz", "float8_e4m3b11fnuz")
Float8e4m3fn = _dtype("Float8e4m3fn", "float8_e4m3fn")
Float8e5m2 = _dtype("Float8e5m2", "float8_e5m2")
BFloat16 = _dtype("BFloat16", "bfloat16")
Float16 = _dtype("Float16", "float16")
Float32 = _dtype("Float32", "float32")
Float64 = _dtype("Float64", "float64")
Complex64 = _dtype("Complex64", "complex64")
Complex128 = _dtype("Complex128", "complex128")
Bool = _dtype("Bool", "bool")
UInt = _dtype("UInt", *_UINTS)
Int = _dtype("Int", *_INTS)
Integer = _dtype("Integer", *_UINTS, *_INTS)
Float = _dtype("Float", *_FLOATS)
Complex = _dtype("Complex", *_COMPLEX)
Inexact = _dtype("Inexact", *_FLOATS, *_COMPLEX)
Real = _dtype("Real", *_FLOATS, *_UINTS, *_INTS)
Num = _dtype("Num", *_FLOATS, *_UINTS, *_INTS, *_COMPLEX)
Shaped = _dtype("Shaped")
Key = _dtype("Key", "key<fry>", "key<rbg>", "key<unsafe_rbg>")

Scalar = Shaped[Array, ""]
ScalarLike = Union[bool, int, float, complex, Scalar]
PRNGKeyArray = Union[Key[Array, ""], UInt32[Array, "2"]]


class _MetaPyTree(type):
    def __getitem__(cls, item):
        return cls

    def __instancecheck__(cls, value):
        return True


class PyTree(metaclass=_MetaPyTree):
    """Any tree of arrays."""


class PyTreeDef:
    """The structure of a tree."""


class TypeCheckError(TypeError):
    """An argument that does not fit its annotation."""


AnnotationError = TypeCheckError


def jaxtyped(fn=None, *, typechecker=None):
    """The function itself."""
    return (lambda function: function) if fn is None else fn


def print_bindings():
    """Prints nothing: nothing is bound."""


def install_import_hook(modules, typechecker):
    """Imports are as they were."""
    import contextlib

    return contextlib.nullcontext()


class _Config:
    jaxtyping_disable = False
    jaxtyping_remove_typechecker_stack = False

    def update(self, item, value):
        setattr(self, item.lower(), value)


config = _Config()

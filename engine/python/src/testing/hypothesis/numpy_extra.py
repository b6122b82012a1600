"""Strategies for numpy."""

import math

import numpy

from hypothesis import strategies
from hypothesis.strategies import SearchStrategy


def from_dtype(dtype, **kwargs):
    """Elements of a dtype."""
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return strategies.booleans()
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        low, high = kwargs.get("min_value"), kwargs.get("max_value")
        return strategies.integers(
            int(info.min) if low is None else low, int(info.max) if high is None else high
        )
    if dtype.kind == "c":
        part = strategies.floats(width=dtype.itemsize * 4)
        return strategies.tuples(part, part).map(lambda parts: complex(*parts))
    return strategies.floats(width=min(max(8 * dtype.itemsize, 16), 64), **kwargs)


def array_shapes(*, min_dims=1, max_dims=None, min_side=1, max_side=None):
    """Shapes."""
    dims = max_dims if max_dims is not None else min(min_dims + 2, 32)
    side = max_side if max_side is not None else min_side + 5
    return strategies.lists(strategies.integers(min_side, side), min_size=min_dims, max_size=dims).map(tuple)


def arrays(dtype, shape, *, elements=None, fill=None, unique=False):
    """Arrays of a dtype and a shape, each of which may be a strategy."""

    def draw(source):
        chosen = dtype.do_draw(source) if isinstance(dtype, SearchStrategy) else dtype
        chosen = numpy.dtype(chosen)
        sizes = shape.do_draw(source) if isinstance(shape, SearchStrategy) else shape
        sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
        each = elements
        if each is None:
            each = from_dtype(chosen)
        elif isinstance(each, dict):
            each = from_dtype(chosen, **each)
        size = math.prod(sizes)
        if unique:
            values = strategies.lists(each, min_size=size, max_size=size, unique=True).do_draw(source)
        else:
            values = [each.do_draw(source) for _ in range(size)]
        return numpy.array(values, dtype=chosen).reshape(sizes)

    return SearchStrategy(draw, f"arrays(dtype={dtype!r}, shape={shape!r})")


def scalar_dtypes():
    """Dtypes of scalars."""
    return strategies.one_of(boolean_dtypes(), integer_dtypes(), unsigned_integer_dtypes(), floating_dtypes())


def boolean_dtypes():
    """bool"""
    return strategies.just(numpy.dtype("bool"))


def integer_dtypes(*, sizes=(8, 16, 32, 64)):
    """Signed integers."""
    return strategies.sampled_from([numpy.dtype(f"int{size}") for size in sizes])


def unsigned_integer_dtypes(*, sizes=(8, 16, 32, 64)):
    """Unsigned integers."""
    return strategies.sampled_from([numpy.dtype(f"uint{size}") for size in sizes])


def floating_dtypes(*, sizes=(16, 32, 64)):
    """Floating-point numbers."""
    return strategies.sampled_from([numpy.dtype(f"float{size}") for size in sizes])

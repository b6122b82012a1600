"""Products of quantized arrays: the small numbers are multiplied, the result is scaled."""

import itertools

import jax
import jax.numpy as jnp

from qwix._arrays import QArray, blockwise, dequantize, is_float

# Narrower tiles are turned into numbers before they are multiplied.
NARROWEST_TILE = 128


def _parts(operand):
    if isinstance(operand, QArray):
        return operand.qvalue, operand.scale, operand.zero_point
    return operand, None, None


def _tile_sizes(values, scale):
    """Along each axis the size of a tile, where there are several."""
    extents = () if scale is None else zip(values.shape, scale.shape)
    return {axis: whole // tiles for axis, (whole, tiles) in enumerate(extents) if tiles not in (1, whole)}


def _contracted_tiles(lhs, rhs, axes):
    sizes = [_tile_sizes(*_parts(operand)[:2]) for operand in (lhs, rhs)]
    for left, right in zip(*axes):
        left, right = sizes[0].get(left), sizes[1].get(right)
        if left and right and left != right:
            raise ValueError(f"Contracting axes must be tiled with the same tile size. {sizes} {axes}")
        yield left or right


def _types(lhs, rhs, preferred):
    """The dtype in which is added, and that of the result."""
    stored = [_parts(operand)[0].dtype for operand in (lhs, rhs)]
    result = preferred
    if result is None:
        small = [jnp.int32 if "int" in o.dtype.name else jnp.bfloat16 for o in (lhs, rhs)]
        result = jnp.result_type(*(s if o.dtype.itemsize <= 1 else o.dtype for o, s in zip((lhs, rhs), small)))
    return (jnp.int32 if all("int" in dtype.name for dtype in stored) else result), result


def _scale_axes(numbers, ndims):
    """Where the axes of both scales stand in the result; `None` is an axis of the other operand."""
    (left, right), (batch_left, batch_right) = numbers
    rest_left = [axis for axis in range(ndims[0]) if axis not in (*left, *batch_left)]
    rest_right = [axis for axis in range(ndims[1]) if axis not in (*right, *batch_right)]
    return [*batch_left, *rest_left, *[None] * len(rest_right)], [*batch_right, *[None] * len(rest_left), *rest_right]


def rearranged(array, axes):
    """Axes in another order: those that are left out have one element, new ones get one."""
    if any(extent > 1 for axis, extent in enumerate(array.shape) if axis not in axes):
        raise ValueError(f"Cannot transpose {array.shape} as {axes}.")
    used = [axis for axis in axes if axis is not None and array.shape[axis] != 1]
    shape = [1 if axis is None else array.shape[axis] for axis in axes]
    if used != sorted(used):
        array = array.squeeze([axis for axis in range(array.ndim) if axis not in used])
        array = array.transpose([sum(other < axis for other in used) for axis in used])
    return array.reshape(shape)


def loop_dot_general(lhs, rhs, dimension_numbers, preferred_element_type=None, **kwargs):
    """A product inside of a kernel: tile after tile of the contracted axes."""
    (left, right), _ = dimension_numbers
    (lhs_values, lhs_scale, lhs_zero), (rhs_values, rhs_scale, rhs_zero) = _parts(lhs), _parts(rhs)
    assert lhs_zero is None and rhs_zero is None
    sizes = _contracted_tiles(lhs, rhs, (left, right))
    counts = [lhs_values.shape[axis] // size if size else 1 for axis, size in zip(left, sizes)]
    added_in, result = _types(lhs, rhs, preferred_element_type)
    orders = _scale_axes(dimension_numbers, (lhs_values.ndim, rhs_values.ndim))

    def taken(array, axes, tile):
        index = [slice(None)] * array.ndim
        for axis, place, count in zip(axes, tile, counts):
            if array.shape[axis] != 1:
                assert array.shape[axis] % count == 0
                size = array.shape[axis] // count
                index[axis] = slice(place * size, (place + 1) * size)
        return array[tuple(index)]

    total = None
    for tile in itertools.product(*map(range, counts)):
        values = taken(lhs_values, left, tile), taken(rhs_values, right, tile)
        numbers = dict(dimension_numbers=dimension_numbers, preferred_element_type=added_in)
        part = jax.lax.dot_general(*values, **numbers, **kwargs)
        for scale, axes, order in ((lhs_scale, left, orders[0]), (rhs_scale, right, orders[1])):
            if scale is not None:
                part = blockwise(jnp.multiply, part, rearranged(taken(scale, axes, tile), order))
        total = part if total is None else total + part
    return total.astype(result)


def _split(array, sizes):
    """An axis of several tiles becomes two: which tile, and what is in it."""
    shape = []
    for axis, extent in enumerate(array.shape):
        shape += [extent // sizes[axis], sizes[axis]] if axis in sizes else [extent]
    return array.reshape(shape)


def _split_axes(contracted, batch, sizes):
    """Where contracted and batch axes stand then; the tiles are batch axes, and added at the end."""
    at = lambda axis: axis + sum(other < axis for other in sizes)
    tiles = [at(axis) for axis in contracted if axis in sizes]
    return [at(axis) + (axis in sizes) for axis in contracted], [*map(at, batch), *tiles]


def _small_dot_general(lhs, rhs, dimension_numbers, preferred_element_type, **kwargs):
    (left, right), (batch_left, batch_right) = dimension_numbers
    (lhs_values, lhs_scale, lhs_zero), (rhs_values, rhs_scale, rhs_zero) = _parts(lhs), _parts(rhs)
    if lhs_zero is not None and rhs_zero is not None:
        raise ValueError("Only one operand can be asymmetric.")
    sizes = list(_contracted_tiles(lhs, rhs, (left, right)))
    sizes_left = {axis: size for axis, size in zip(left, sizes) if size}
    sizes_right = {axis: size for axis, size in zip(right, sizes) if size}
    lhs_values, rhs_values = _split(lhs_values, sizes_left), _split(rhs_values, sizes_right)
    tiles = range(len(batch_left), len(batch_left) + len(sizes_left))
    left, batch_left = _split_axes(left, batch_left, sizes_left)
    right, batch_right = _split_axes(right, batch_right, sizes_right)
    numbers = (left, right), (batch_left, batch_right)
    added_in, result = _types(lhs, rhs, preferred_element_type)

    def product(a, b):
        return jax.lax.dot_general(a, b, dimension_numbers=numbers, preferred_element_type=added_in, **kwargs)

    def spread(zero, values, sizes, axes):
        zero = _split(zero, dict.fromkeys(sizes, 1))
        shape = [values.shape[axis] if axis in axes else extent for axis, extent in enumerate(zero.shape)]
        return jnp.broadcast_to(zero, shape)

    total = product(lhs_values, rhs_values)
    if lhs_zero is not None:
        zero = spread(lhs_zero, lhs_values, sizes_left, [*left, *batch_left])
        total = blockwise(jnp.subtract, total, product(zero, rhs_values))
    if rhs_zero is not None:
        zero = spread(rhs_zero, rhs_values, sizes_right, [*right, *batch_right])
        total = blockwise(jnp.subtract, total, product(lhs_values, zero))
    orders = _scale_axes(numbers, (lhs_values.ndim, rhs_values.ndim))
    for scale, sizes, order in ((lhs_scale, sizes_left, orders[0]), (rhs_scale, sizes_right, orders[1])):
        if scale is not None:
            total = blockwise(jnp.multiply, total, rearranged(_split(scale, dict.fromkeys(sizes, 1)), order))
    return (jnp.sum(total, axis=tuple(tiles)) if tiles else total).astype(result)


def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, **kwargs):
    """`jax.lax.dot_general` of arrays and quantized arrays."""
    kwargs["precision"] = precision
    for operand, axes in zip((lhs, rhs), dimension_numbers[0]):
        if not isinstance(operand, QArray):
            is_small = not is_float(operand.dtype)
        else:
            tiled = [axis for axis in axes if operand.scale.shape[axis] > 1]
            is_small = all(operand.shape[a] // operand.scale.shape[a] >= NARROWEST_TILE for a in tiled)
        if not is_small:
            break
    else:
        return _small_dot_general(lhs, rhs, dimension_numbers, preferred_element_type, **kwargs)
    lhs, rhs = (dequantize(operand) if isinstance(operand, QArray) else operand for operand in (lhs, rhs))
    return jax.lax.dot_general(lhs, rhs, dimension_numbers, preferred_element_type=preferred_element_type, **kwargs)


def _dot(product, a, b, precision, preferred_element_type, out_sharding):
    if a.ndim == 0 or b.ndim == 0:
        contracted = ((), ())
    else:
        contracted = ((a.ndim - 1,), (max(b.ndim - 2, 0),))
    kwargs = dict(precision=precision, preferred_element_type=preferred_element_type, out_sharding=out_sharding)
    return product(a, b, (contracted, ((), ())), **kwargs)


def dot(a, b, precision=None, preferred_element_type=None, out_sharding=None):
    """`jax.numpy.dot` of arrays and quantized arrays."""
    return _dot(dot_general, a, b, precision, preferred_element_type, out_sharding)


def loop_dot(a, b, precision=None, preferred_element_type=None, out_sharding=None):
    """`dot` inside of a kernel."""
    return _dot(loop_dot_general, a, b, precision, preferred_element_type, out_sharding)


def _einsum(product, text, lhs, rhs, kwargs):
    inputs, result = text.replace(" ", "").split("->")
    left, right = inputs.split(",")
    batch = [name for name in left if name in right and name in result]
    contracted = [name for name in left if name in right and name not in result]
    at = lambda names, axes: tuple(axes.index(name) for name in names)
    numbers = (at(contracted, left), at(contracted, right)), (at(batch, left), at(batch, right))
    rest = [name for name in left + right if name not in contracted and name not in batch]
    order = [[*batch, *rest].index(name) for name in result]
    return jnp.transpose(product(lhs, rhs, numbers, **kwargs), order)


def einsum(text, lhs, rhs, **kwargs):
    """`jax.numpy.einsum` of two operands, quantized or not."""
    return _einsum(dot_general, text, lhs, rhs, kwargs)


def loop_einsum(text, lhs, rhs, **kwargs):
    """`einsum` inside of a kernel."""
    return _einsum(loop_dot_general, text, lhs, rhs, kwargs)

"""Quantized arrays: small numbers with a scale for each tile, and a zero point where the range is not symmetric."""

import dataclasses
import math

import flax.struct
import jax
import jax.numpy as jnp


@flax.struct.dataclass
class QArray:
    """`(qvalue - zero_point) * scale`, where scale and zero point are repeated over their tiles."""

    qvalue: jax.Array
    scale: jax.Array
    zero_point: jax.Array | None = None
    qtype: object = flax.struct.field(pytree_node=False, default=None)

    shape = property(lambda self: self.qvalue.shape)
    ndim = property(lambda self: self.qvalue.ndim)
    dtype = property(lambda self: self.scale.dtype)
    T = property(lambda self: self.transpose())
    mT = property(lambda self: jax.tree.map(lambda part: part.mT, self))
    scale_tile_shape = property(lambda self: _tile_shape(self, self.scale))
    zero_point_tile_shape = property(lambda self: None if self.zero_point is None else _tile_shape(self, self.zero_point))

    def __post_init__(self):
        if self.qtype is None:
            object.__setattr__(self, "qtype", self.qvalue.dtype)

    def __getitem__(self, index):
        return jax.tree.map(lambda part: part[_index_of(part, self.shape, index)], self)

    def reshape(self, *shape):
        shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
        if math.prod(self.shape) != math.prod(shape):
            raise ValueError(f"Cannot reshape {self.shape} into {shape}.")
        groups = list(_groups(self.shape, shape))
        return jax.tree.map(lambda part: part.reshape(_regrouped(part.shape, groups, self.shape, shape)), self)

    def transpose(self, *axes):
        return jax.tree.map(lambda part: part.transpose(*axes), self)

    def swapaxes(self, axis1, axis2):
        return jax.tree.map(lambda part: part.swapaxes(axis1, axis2), self)

    def astype(self, dtype):
        return dataclasses.replace(self, scale=self.scale.astype(dtype))


def _tile_shape(array, part):
    return tuple(whole // tiles for whole, tiles in zip(array.shape, part.shape))


def _index_of(part, shape, index):
    """What an index of the whole array is for its numbers, its scale or its zero point."""
    index = list(index) if isinstance(index, (tuple, list)) else [index]
    missing = len(shape) - sum(at is not None and at is not Ellipsis for at in index)
    rest = [slice(None)] * missing
    if Ellipsis in index:
        place = index.index(Ellipsis)
        index[place : place + 1] = rest
    else:
        index += rest
    result, axis = [], 0
    for at in index:
        if at is None:
            result.append(None)
            continue
        whole, tiles = shape[axis], part.shape[axis]
        axis += 1
        is_one = isinstance(at, int) or (isinstance(at, jax.Array) and at.ndim == 0)
        if whole == tiles or at == slice(None):
            result.append(at)
        elif tiles == 1:
            result.append(0 if is_one else slice(None))
        elif isinstance(at, int):
            result.append(at // (whole // tiles))
        else:
            raise ValueError(f"Unsupported indexing {index} for {shape}.")
    return tuple(result)


def _groups(old, new):
    """The smallest runs of extents that hold equally many elements, in both shapes."""
    i = j = 0
    before, after = [], []
    while i < len(old) or j < len(new):
        have, want = math.prod(before), math.prod(after)
        starts_old = i < len(old) and (j >= len(new) or old[i] <= new[j])
        if have < want or (have == want and starts_old):
            before.append(old[i])
            i += 1
        else:
            after.append(new[j])
            j += 1
        if math.prod(before) == math.prod(after):
            yield tuple(before), tuple(after)
            before, after = [], []


def _regrouped(shape, groups, old, new):
    result, start = [], 0
    for before, after in groups:
        part = shape[start : start + len(before)]
        start += len(before)
        if part == before:
            result += after
        elif math.prod(part) == 1:
            result += [1] * len(after)
        elif math.prod(part) == part[0] and after[0] % part[0] == 0:
            result += [part[0]] + [1] * (len(after) - 1)
        else:
            raise ValueError(f"Cannot reshape {old} into {new} for {shape}.")
    return result


def blockwise(op, x, y):
    """`op(x, y)`, where an element of the smaller one stands for a whole tile of the larger."""
    shape_x, shape_y, result = [], [], []
    for a, b in zip(x.shape, y.shape):
        result.append(max(a, b))
        few = min(a, b)
        if a == b or few == 1:
            shape_x.append(a)
            shape_y.append(b)
        elif max(a, b) % few == 0:
            shape_x += [few, a // few]
            shape_y += [few, b // few]
        else:
            raise ValueError(f"Cannot broadcast between {x.shape} {y.shape}")
    return op(x.reshape(shape_x), y.reshape(shape_y)).reshape(result)


def is_float(dtype):
    """Whether numbers of this dtype are quantized."""
    return jnp.dtype(dtype) in (jnp.bfloat16, jnp.float16, jnp.float32, jnp.float64)


def _tiles(shape, channelwise, tiled):
    """How many tiles there are along each axis."""
    if set(channelwise) & set(tiled):
        raise ValueError("The same axis cannot be both channelwise and tiled.")
    tiles = []
    for axis, extent in enumerate(shape):
        size = 1 if axis in channelwise else tiled.get(axis, extent)
        size = round(extent * size) if isinstance(size, float) else size
        if size <= 0 or extent % size:
            raise ValueError(f"{shape} cannot be tiled as {tiled}.")
        tiles.append(extent // size)
    return tuple(tiles)


def _range(array, tiles, method):
    """The largest magnitude of each tile, or its least and its greatest number."""
    method, *numbers = method.lower().split(",")
    numbers = [float(number) for number in numbers]
    # Only axes of several tiles are cut: what is reduced at once decides the digits of a mean.
    pieces, axes = [], []
    for extent, count in zip(array.shape, tiles):
        if count not in (1, extent):
            pieces.append(count)
        axes += [] if count == extent and extent != 1 else [len(pieces)]
        pieces.append(extent // count if count not in (1, extent) else extent)
    split = array.reshape(pieces)

    def reduced(function, values):
        return function(values, axis=tuple(axes), keepdims=True).reshape(tiles)

    scaled = (lambda value: value * numbers[0]) if numbers else (lambda value: value)
    if method == "absmax":
        return None, scaled(reduced(jnp.max, jnp.abs(split)))
    if method == "minmax":
        return scaled(reduced(jnp.min, split).clip(max=0)), scaled(reduced(jnp.max, split).clip(min=0))
    if method == "rms":
        if not numbers:
            raise ValueError("A scale factor is required for RMS calibration.")
        return None, scaled(jnp.sqrt(reduced(jnp.mean, jnp.square(split))))
    if method == "fixed":
        if len(numbers) not in (1, 2):
            raise ValueError("A fixed range is required for fixed calibration.")
        low, high = numbers if len(numbers) == 2 else (-numbers[0], numbers[0])
        if low > 0 or high < 0 or low >= high:
            raise ValueError("The range must contain 0 and be non-empty.")
        whole = (1,) * array.ndim
        least = None if low + high == 0 else jnp.full(whole, low, array.dtype)
        return least, jnp.full(whole, high, array.dtype)
    raise ValueError(f"Unsupported calibration: {method}")


def _largest(qtype):
    """The end of the range of a type that is symmetric around zero."""
    if isinstance(qtype, str) and qtype in ("int2", "int3", "int5", "int6", "int7"):
        return 2 ** (int(qtype[3:]) - 1) - 0.5
    if jnp.dtype(qtype).itemsize > 1:
        raise ValueError(f"Cannot use {qtype} as qtype.")
    if jnp.issubdtype(qtype, jnp.floating):
        return float(jnp.finfo(qtype).max)
    # The last step reaches half a step further.
    return jnp.iinfo(qtype).max + 0.5


def _stored(values, qtype):
    if isinstance(qtype, str) and qtype in ("int2", "int3", "int5", "int6", "int7"):
        bits = int(qtype[3:])
        kept = jnp.round(values).clip(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return kept.astype(jnp.int4 if bits <= 4 else jnp.int8)
    if jnp.issubdtype(qtype, jnp.floating):
        limits = jnp.finfo(qtype)
        return values.clip(limits.min.astype(values.dtype), limits.max.astype(values.dtype)).astype(qtype)
    return jnp.round(values).astype(qtype)


def quantize(
    array, qtype, *, channelwise_axes=(), tiled_axes=None, calibration_method="absmax", scale_dtype=None
):
    """Quantizes numbers, with a scale for each tile of what they are."""
    tiles = _tiles(array.shape, channelwise_axes, tiled_axes or {})
    least, greatest = _range(array, tiles, calibration_method)
    if least is None:
        scale = greatest / _largest(qtype)
    else:
        limits = {jnp.dtype(jnp.int8): (-128.0, 127.0), jnp.dtype(jnp.int4): (-8.0, 7.0)}.get(jnp.dtype(qtype))
        if limits is None:
            raise ValueError(f"{qtype} doesn't support asymmetric quantization.")
        scale = (greatest - least) / (limits[1] - limits[0])
    scale = jnp.where(scale < jnp.sqrt(jnp.finfo(scale.dtype).tiny), jnp.ones_like(scale), scale)
    zero_point = None if least is None else _stored(limits[0] - least / scale, qtype)
    if not is_float(array.dtype):
        raise ValueError(f"Refuse to quantize: {array.dtype}")
    scale = scale.astype(array.dtype)
    values = blockwise(jnp.divide, array, scale)
    if zero_point is not None:
        values = blockwise(jnp.add, values, zero_point.astype(values.dtype))
    return QArray(_stored(values, qtype), scale if scale_dtype is None else scale.astype(scale_dtype), zero_point, qtype)


def dequantize(array):
    """The numbers that a quantized array stands for."""
    values = array.qvalue.astype(array.scale.dtype)
    if array.zero_point is not None:
        values = blockwise(jnp.subtract, values, array.zero_point.astype(values.dtype))
    return blockwise(jnp.multiply, values, array.scale)

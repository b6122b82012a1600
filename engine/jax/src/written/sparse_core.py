"""`jax.experimental.pallas.tpu_sc`: what Pallas has for the SparseCores of TPUs.

Vectors of a SparseCore are as long as it has lanes, and its operations know masks. Here they are said with the operations
that all kernels have, so that everything that knows those (types, checks, runs) knows these. JAX can only compile them for
a TPU. What one subcore says to another is not simulated.
"""
import collections
import dataclasses
import enum

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental.pallas import tpu as pltpu


def get_sparse_core_info():
    """What is known of the SparseCores of the current TPU."""
    info = pltpu.get_tpu_info().sparse_core
    if info is None:
        raise RuntimeError("The current TPU does not have SparseCores")
    return info


def _cores():
    return get_sparse_core_info().num_cores


def _subcores():
    return get_sparse_core_info().num_subcores


def _check_cores(mesh):
    available = _cores()
    if mesh.num_cores > available:
        raise ValueError(f"Mesh has {mesh.num_cores} cores, but the current TPU chip has only {available} SparseCores")


@dataclasses.dataclass(frozen=True, kw_only=True)
class ScalarSubcoreMesh:
    """The scalar subcores of SparseCores: one program per SparseCore."""

    __module__ = "jax._src.pallas.mosaic.sc_core"

    axis_name: str
    num_cores: int = dataclasses.field(default_factory=_cores)

    def __post_init__(self):
        _check_cores(self)

    @property
    def shape(self):
        return collections.OrderedDict({self.axis_name: self.num_cores})

    @property
    def size(self):
        return self.num_cores

    @property
    def core_type(self):
        return pltpu.CoreType.SC_SCALAR_SUBCORE

    @property
    def default_memory_space(self):
        return pltpu.HBM


@dataclasses.dataclass(frozen=True, kw_only=True)
class VectorSubcoreMesh:
    """The vector subcores of SparseCores: one program per subcore of each SparseCore."""

    __module__ = "jax._src.pallas.mosaic.sc_core"

    core_axis_name: str
    subcore_axis_name: str
    num_cores: int = dataclasses.field(default_factory=_cores)
    num_subcores: int = dataclasses.field(default_factory=_subcores)

    def __post_init__(self):
        _check_cores(self)
        available = _subcores()
        if self.num_subcores > available:
            raise ValueError(
                f"Mesh has {self.num_subcores} subcores, but the current TPU chip has only {available} subcores"
            )

    @property
    def shape(self):
        return collections.OrderedDict(
            {self.core_axis_name: self.num_cores, self.subcore_axis_name: self.num_subcores}
        )

    @property
    def size(self):
        return self.num_cores * self.num_subcores

    @property
    def core_type(self):
        return pltpu.CoreType.SC_VECTOR_SUBCORE

    @property
    def default_memory_space(self):
        return pltpu.HBM


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Indices:
    """Which rows a copy gathers or scatters; those with the ignored value are left out."""

    values: object
    ignored_value: int | None = dataclasses.field(default=None, metadata=dict(static=True))


class PackFormat(enum.Enum):
    """Where `pack` puts the elements of its operands: beside each other, or in turns."""

    COMPRESSED = "compressed"
    INTERLEAVED = "interleaved"


def _check_mask(mask, shape):
    if mask.dtype != jnp.bool_:
        raise TypeError(f"Mask must be a boolean array, got {mask.dtype}")
    if mask.shape != shape:
        raise ValueError(f"Mask must have shape {shape}, got {mask.shape}")


def _check_value(ref, x):
    if ref.dtype != x.dtype:
        raise TypeError(f"Ref and value must have the same dtype, got {ref.dtype} and {x.dtype}")
    if ref.shape != x.shape:
        raise ValueError(f"Value must have shape {ref.shape}, got {x.shape}")


def _compressed(x, mask):
    """The elements under a mask, moved to the front, and where they now are."""
    order = jnp.argsort(jnp.logical_not(mask), stable=True)
    return jnp.take(x, order, mode="clip"), lax.iota(jnp.int32, x.shape[0]) < _count(mask)


def _count(mask):
    return jnp.sum(mask.astype(jnp.int32), dtype=jnp.int32)


def load_expanded(ref, *, mask):
    """Loads the first elements of a Ref to the places where the mask is true, in order."""
    _check_mask(mask, ref.shape)
    rank = jnp.cumsum(mask.astype(jnp.int32)) - 1
    return jnp.take(ref[...], jnp.maximum(rank, 0), mode="clip")


def store_compressed(ref, x, *, mask):
    """Stores the elements under the mask beside each other, from the beginning of the Ref."""
    _check_mask(mask, ref.shape)
    _check_value(ref, x)
    front, written = _compressed(x, mask)
    ref[...] = jnp.where(written, front, ref[...])


def addupdate(ref, x):
    """Adds to a Ref, as one step."""
    _check_value(ref, x)
    ref[...] = ref[...] + x


def addupdate_compressed(ref, x, *, mask):
    """Adds the elements under the mask to the first elements of a Ref, as one step."""
    _check_mask(mask, ref.shape)
    _check_value(ref, x)
    front, written = _compressed(x, mask)
    ref[...] = jnp.where(written, ref[...] + front, ref[...])


def _indexed_shape(ref, indices):
    if len(indices) != len(ref.shape):
        raise ValueError(f"The number of indices does not match ref.ndim={len(ref.shape)}")
    for index in indices:
        if index.ndim != 1:
            raise ValueError(f"Indices must be a 1-D array, got an index with shape {index.shape}")
        if index.size != indices[0].size:
            raise ValueError("Indices must have the same size, got {prev_idx.size} and {idx.size}")
    return (indices[0].size,)


def _check_indexed(ref, indices, mask):
    if ref.dtype not in (jnp.int32, jnp.float32):
        raise TypeError(f"ref.dtype={ref.dtype} must be int32 or float32")
    shape = _indexed_shape(ref, indices)
    if mask is not None and mask.shape != shape:
        raise ValueError(f"mask.shape={mask.shape} does not match the expected shape {shape}")
    return shape


def load_gather(ref, indices, *, mask=None):
    """The elements of a Ref at these indices, one array for each dimension."""
    _check_indexed(ref, indices, mask)
    if mask is not None:
        indices = [jnp.where(mask, index, 0) for index in indices]
    return ref[tuple(indices)]


def store_scatter(ref, indices, x, *, mask=None):
    """Stores elements at these indices, one array for each dimension."""
    _scatter(ref, indices, x, mask, add=False)


def addupdate_scatter(ref, indices, x, *, mask=None):
    """Adds elements at these indices, one array for each dimension; equal indices add up."""
    _scatter(ref, indices, x, mask, add=True)


def _scatter(ref, indices, x, mask, add):
    if not indices:
        raise ValueError("Indices must not be empty")
    shape = _check_indexed(ref, indices, mask)
    if x.shape != shape:
        raise ValueError(f"x.shape={x.shape} does not match expected shape {shape}")
    if x.dtype != ref.dtype:
        raise TypeError(f"val.dtype={x.dtype} != ref.dtype={ref.dtype}")
    if mask is not None:
        # Behind the end, where scattered elements are dropped.
        indices = [jnp.where(mask, index, extent) for index, extent in zip(indices, ref.shape)]
    places = ref[...].at[tuple(indices)]
    ref[...] = places.add(x, mode="drop") if add else places.set(x, mode="drop")


def bitcast(x, dtype):
    """The same bits as another dtype; the last dimension grows or shrinks with the width of an element."""
    dtype = jnp.dtype(dtype)
    old, new = jax.dtypes.itemsize_bits(x.dtype), jax.dtypes.itemsize_bits(dtype)
    if old == new:
        return lax.bitcast_convert_type(x, dtype)
    if x.ndim == 0:
        raise ValueError(
            "Cannot bitcast a ()-shaped array to a dtype with a different bitwidth:"
            f" old_bitwidth={old} vs new_bitwidth={new}"
        )
    *rows, last = x.shape
    if last * old % new:
        raise ValueError(
            f"Cannot bitcast from {x.dtype} ({old} bits) to {dtype} ({new} bits), because x.shape[-1]={last} * {old}"
            f" is not divisible by {new}"
        )
    if new > old:
        return lax.bitcast_convert_type(x.reshape(*rows, last * old // new, new // old), dtype)
    return lax.bitcast_convert_type(x, dtype).reshape(*rows, last * (old // new))


def _check_scanned(name, x, mask):
    if x.ndim != 1:
        raise NotImplementedError(f"{name}: x={jax.typeof(x)} must be rank 1")
    if x.dtype not in (jnp.uint32, jnp.int32, jnp.float32):
        raise NotImplementedError(f"x.dtype={x.dtype} must be uint32, int32 or float32")
    if mask is None:
        return lax.full(x.shape, True)
    if mask.dtype != jnp.bool_:
        raise TypeError(f"mask.dtype={mask.dtype} is not a boolean dtype")
    if x.shape != mask.shape:
        raise ValueError(f"x.shape={x.shape} != mask.shape={mask.shape}")
    return mask


def cumsum(x, *, mask=None):
    """Running sums of the elements under the mask."""
    mask = _check_scanned("cumsum", x, mask)
    return lax.cumsum(jnp.where(mask, x, jnp.zeros_like(x)))


def cummax(x, *, mask=None):
    """Running maxima of the elements under the mask; those before the first of them stay."""
    mask = _check_scanned("cummax", x, mask)
    lowest = -jnp.inf if x.dtype == jnp.float32 else jnp.iinfo(x.dtype).min
    maxima = lax.cummax(jnp.where(mask, x, jnp.full_like(x, lowest)))
    return jnp.where(jnp.cumsum(mask.astype(jnp.int32)) > 0, maxima, x)


def scan_count(x, mask=None):
    """How often each element has occurred up to its place, and where each occurs for the last time."""
    mask = _check_scanned("scan_count", x, mask)
    places = lax.iota(jnp.int32, x.shape[0])
    same = (x[:, None] == x[None, :]) & mask[None, :]
    counts = jnp.sum((same & (places[None, :] <= places[:, None])).astype(jnp.int32), axis=1)
    later = jnp.sum((same & (places[None, :] > places[:, None])).astype(jnp.int32), axis=1)
    return counts, mask & (later == 0)


def sort_key_val(keys, values, *, mask=None, descending=False):
    """Sorts keys, and values with them; what is not under the mask goes behind."""
    shape = (get_sparse_core_info().num_lanes,)
    if keys.dtype not in (jnp.uint32, jnp.int32, jnp.float32):
        raise NotImplementedError(f"sort_key_val: keys dtype {keys.dtype} should be uint32, int32 or float32")
    if keys.shape != shape:
        raise ValueError(f"keys shape {keys.shape} must be {shape}")
    if jnp.dtype(values.dtype).itemsize != 4:
        raise NotImplementedError(f"sort_key_val: values dtype {values.dtype} should be 32 bits")
    if values.shape != shape:
        raise ValueError(f"values shape {values.shape} must be {shape}")
    order = jnp.argsort(keys, descending=descending)
    if mask is None:
        return jnp.take(keys, order, mode="clip"), jnp.take(values, order, mode="clip")
    _check_mask(mask, shape)
    behind = jnp.logical_not(jnp.take(mask, order, mode="clip"))
    order = jnp.take(order, jnp.argsort(behind, stable=True), mode="clip")
    return tuple(jnp.take(array, order, mode="clip") for array in (keys, values, mask))


def _reduced(mask, reduce):
    if mask.dtype != jnp.bool_:
        raise TypeError(f"Mask all-reduce only supports bool arrays, got {mask.dtype}")
    if mask.ndim != 1:
        raise ValueError("Mask all-reduce only supports 1D arrays")
    return (mask.shape[0] // reduce,)


def all_reduce_population_count(x, *, reduce=1):
    """How many elements are true, in every element."""
    shape = _reduced(x, reduce)
    return jnp.broadcast_to(_count(x), shape)


def all_reduce_ffs(x, *, reduce=1):
    """The place of the first true element, or the number of elements, in every element."""
    shape = _reduced(x, reduce)
    places = jnp.where(x, lax.iota(jnp.int32, x.shape[0]), x.shape[0])
    return jnp.broadcast_to(jnp.min(places), shape)


_HALVES = {"float32": jnp.bfloat16, "int32": jnp.int16}
_DOUBLES = {"bfloat16": jnp.float32, "int16": jnp.int32}


def pack(a, b, /, *, format, preferred_element_type=None):
    """Two vectors as one with elements of half the width."""
    if a.shape != b.shape:
        raise ValueError(f"Packed arrays must have the same shape, got {a.shape} and {b.shape}")
    if a.ndim != 1:
        raise ValueError(f"Packed arrays must be 1-D, got {a.ndim}")
    if a.dtype != b.dtype:
        raise TypeError(f"Packed arrays must have the same dtype, got {a.dtype} and {b.dtype}")
    packed = _resized(a.dtype, preferred_element_type, _HALVES, "packing of float32 and int32", 1, 2)
    both = jnp.stack([a.astype(packed), b.astype(packed)], axis=1)
    return both if format is PackFormat.COMPRESSED else both.reshape(2 * a.size)


def unpack(ab, /, *, format, preferred_element_type=None):
    """The two vectors that `pack` made one of."""
    if format is PackFormat.INTERLEAVED and (ab.ndim != 1 or ab.size % 2 != 0):
        raise ValueError(f"Interleaved unpack requires a 1-D array with an even size, got {ab.shape}")
    if format is PackFormat.COMPRESSED and (ab.ndim != 2 or ab.shape[1] != 2):
        raise ValueError(f"Compressed unpack requires an array with shape (N, 2), got {ab.shape}")
    unpacked = _resized(ab.dtype, preferred_element_type, _DOUBLES, "unpacking of bloat16 and int16", 2, 1)
    pairs = ab.reshape(ab.size // 2, 2)
    return pairs[:, 0].astype(unpacked), pairs[:, 1].astype(unpacked)


def _resized(dtype, preferred, usual, only, times, over):
    """The dtype of packed or unpacked elements."""
    if preferred is None:
        if jnp.dtype(dtype).name not in usual:
            raise NotImplementedError(f"Only {only} is supported, got {dtype}")
        return usual[jnp.dtype(dtype).name]
    bits = jax.dtypes.itemsize_bits(dtype) * times // over
    if jax.dtypes.itemsize_bits(preferred) != bits:
        raise ValueError(
            f"preferred_element_type= must have bitwidth {bits}, got {jax.dtypes.itemsize_bits(preferred)}"
        )
    return jnp.dtype(preferred)


def subcore_barrier():
    """Waits until all subcores of the core have come here; nobody waits here, where subcores have no time."""


def fetch_and_add(x_ref, value, *, subcore_id):
    """Adds to a scalar Ref of another subcore, and gives what was there."""
    if x_ref.size != 1:
        raise ValueError(f"Expected a scalar ref, but got x_ref.shape={x_ref.shape}.")
    if x_ref.dtype != jnp.int32:
        raise NotImplementedError(f"Only int32 refs are supported, but got {x_ref.dtype}")
    old = x_ref[...]
    x_ref[...] = old + value
    return jnp.reshape(old, ())


def parallel_loop(lower, upper, step=1, *, unroll=1, carry=None):
    """Decorates the body of a loop whose rounds do not depend on each other but for what they carry; runs it at once."""

    def run(body):
        rounds = -(-(upper - lower) // step)
        if carry is None:

            def independent(i, nothing):
                body(lower + i * step)
                return nothing

            lax.fori_loop(0, rounds, independent, ())
            return None
        tree = jax.tree.structure(carry)

        def carrying(i, carried):
            result = body(lower + i * step, carried)
            if jax.tree.structure(result) != tree:
                raise ValueError(
                    "parallel_loop: body result should have same structure as carry:"
                    f" {jax.tree.structure(result)} != {tree}"
                )
            return result

        return lax.fori_loop(0, rounds, carrying, carry)

    return run

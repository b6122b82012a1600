"""What the threads of a Mosaic GPU kernel do: barriers, copies, products, fences, and what they say to other blocks and
devices. Each function stages one op; the refusals are in the ops' type rules.
"""
import dataclasses

import jax
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu import staging
from jax._src.pallas.mosaic_gpu.core import CopyPartition, OOBFillMode, RefType, SomeLayout, layout_cast
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def _stage(name, *operands, **attributes):
    return staging.stage(name, operands, attributes)


def _axes(names):
    if names is None:
        return None
    names = (names,) if isinstance(names, str) else tuple(names)
    return staging.grid_axes(names) if names else None


def _axis(name):
    return None if name is None else staging.grid_axes((name,))[0] + 1


# Barriers.


def _under(predicate, act):
    """JAX after 0.10.2 makes some of these under a condition."""
    if predicate is None:
        act()
    else:
        pl.when(predicate)(lambda: act() and None)


def barrier_arrive(barrier, *, predicate=None):
    _under(predicate, lambda: _stage("barrier_arrive", barrier))


def barrier_wait(barrier):
    _stage("barrier_wait", barrier)


def barrier_test(barrier):
    return _stage("barrier_test", barrier)[0]


# Copies.


def copy_gmem_to_smem(
    src,
    dst,
    barrier,
    *,
    collective_axes=None,
    leader_tracked=None,
    oob_mode=OOBFillMode.ZEROS,
    predicate=None,
):
    axes = _axes(collective_axes)
    if leader_tracked is not None and collective_axes is None:
        raise ValueError("`collective_axes` must be specified when `leader_tracked` is set")
    attributes = {"axes": axes}
    if isinstance(leader_tracked, CopyPartition.PARTITIONED):
        attributes["partitioned"] = leader_tracked.axis
    elif leader_tracked is not None:
        attributes["leader"] = True
    if oob_mode is not OOBFillMode.ZEROS:
        attributes["oob"] = oob_mode.name.lower()
    _under(predicate, lambda: _stage("copy_in", src, dst, barrier, **attributes))


def copy_smem_to_gmem(src, dst, predicate=None, *, commit_group=True, reduction_op=None):
    attributes = {"open": not commit_group, "reduce": reduction_op}
    if predicate is None:
        _stage("copy_out", src, dst, **attributes)
    else:
        _stage("copy_out", src, dst, predicate, predicated=True, **attributes)


def commit_smem_to_gmem_group():
    _stage("copy_commit")


def wait_smem_to_gmem(n, wait_read_only=False):
    _stage("copy_drain", count=n, read_only=bool(wait_read_only))


def async_prefetch(ref, *, collective_axes=None, leader_tracked=None):
    partitioned = leader_tracked.axis if isinstance(leader_tracked, CopyPartition.PARTITIONED) else None
    _stage("prefetch", ref, axes=_axes(collective_axes), partitioned=partitioned)


def async_store_smem(src, ref, barrier, *, cluster_idx, cluster_dim, optimized=True, atomic=None):
    axis = staging.grid_axes((cluster_dim,))[0]
    _stage("store_across", src, ref, barrier, jnp.asarray(cluster_idx, jnp.int32), axis=axis, combine=atomic)


def load(src, idx=(), *, layout=None, optimized=True):
    value = src[...] if isinstance(idx, tuple) and not idx else src.at[idx][...]
    return value if layout is None else layout_cast(value, layout)


# Products.


def wgmma(acc, a, b):
    _stage("wgmma", acc, a, b)


def wgmma_wait(n):
    _stage("wgmma_wait", count=n)


def wgmma_accumulator_load(acc, *, wait_n=0):
    if wait_n is not None and wait_n < 0:
        raise ValueError(f"wait_n must be non-negative, got {wait_n=}")
    if wait_n is not None:
        wgmma_wait(wait_n)
    return acc[...]


def tcgen05_mma(
    acc,
    a,
    b,
    barrier=None,
    *,
    a_scale=None,
    b_scale=None,
    a_sparse_metadata=None,
    accumulate=True,
    collective_axis=None,
):
    if (a_scale is None) != (b_scale is None):
        raise ValueError("a_scale and b_scale must both be present or absent.")
    more = [ref for ref in (barrier, a_scale, b_scale, a_sparse_metadata) if ref is not None]
    _stage(
        "tcgen05_mma",
        acc,
        a,
        b,
        jnp.asarray(accumulate, jnp.bool_),
        *more,
        axis=_axis(collective_axis),
        barrier=barrier is not None,
        scaled=a_scale is not None,
        sparse=a_sparse_metadata is not None,
    )


def tcgen05_commit_arrive(barrier, collective_axis=None):
    _stage("tcgen05_commit", barrier, axis=_axis(collective_axis))


def async_copy_smem_to_tmem(smem_ref, tmem_ref, collective_axis=None):
    _stage("copy_to_tmem", smem_ref, tmem_ref, what="data", axis=_axis(collective_axis))


def async_copy_scales_to_tmem(smem_ref, tmem_ref, collective_axis=None):
    _stage("copy_to_tmem", smem_ref, tmem_ref, what="scales", axis=_axis(collective_axis))


def async_copy_sparse_metadata_to_tmem(smem_ref, tmem_ref, collective_axis=None):
    _stage("copy_to_tmem", smem_ref, tmem_ref, what="metadata", axis=_axis(collective_axis))


def async_load_tmem(src, *, layout=None):
    if src.memory_space != plgpu.MemorySpace.TMEM:
        raise ValueError(f"Async load only supports TMEM refs as source, got: {src}")
    value = src[...]
    return value if layout is None else layout_cast(value, layout)


def async_store_tmem(ref, value):
    if ref.memory_space != plgpu.MemorySpace.TMEM:
        raise ValueError(f"Async store only supports TMEM refs as destination, got: {ref}")
    ref[...] = value


# Fences, and what is said to the compiler.


def wait_load_tmem():
    _stage("fence", what="tensor_loads")


def commit_tmem():
    _stage("fence", what="tensor")


def commit_smem():
    _stage("fence", what="shared")


def set_max_registers(n, *, action):
    _stage("fence", what="registers", count=n if action == "increase" else -n)


def griddepcontrol_wait():
    _stage("fence", what="previous")


def griddepcontrol_launch_dependents():
    _stage("fence", what="next")


def print_layout(fmt, x):
    pass


def broadcasted_iota(dtype, shape, dimension, *, layout=None):
    return jax.lax.broadcasted_iota(dtype, shape, dimension)


# Other blocks and devices.


def try_cluster_cancel(result_ref, barrier):
    _stage("cluster_cancel", result_ref, barrier)


def query_cluster_cancel(result_ref, grid_names):
    results = _stage("cluster_cancel_result", result_ref, axes=staging.grid_axes(tuple(grid_names)))
    return tuple(results[:-1]), results[-1]


def atomic_add(ref, val):
    pl.atomic_add(ref, ..., val)


def atomic_max(ref, val):
    pl.atomic_max(ref, ..., val)


def atomic_min(ref, val):
    pl.atomic_min(ref, ..., val)


def atomic_and(ref, val):
    pl.atomic_and(ref, ..., val)


def atomic_or(ref, val):
    pl.atomic_or(ref, ..., val)


def atomic_xor(ref, val):
    pl.atomic_xor(ref, ..., val)


def _names(axes):
    return ",".join(map(str, axes if isinstance(axes, tuple) else (axes,)))


def multimem_store(source, ref, collective_axes):
    _stage("store_everywhere", source, ref, names=_names(collective_axes))


def multimem_load_reduce(ref, *, collective_axes, reduction_op):
    return _stage("load_everywhere", ref, names=_names(collective_axes), reduce=str(reduction_op))[0]


@dataclasses.dataclass(frozen=True)
class SemaphoreSignal:
    ref: object
    _: dataclasses.KW_ONLY
    device_id: object
    inc: object = 1


def semaphore_signal(semaphore, inc=1, *, device_id=None, memory_scope="sys"):
    pl.semaphore_signal(semaphore, inc, device_id=device_id)


def semaphore_wait(semaphore, value=1, *, decrement=True, memory_scope="sys"):
    pl.semaphore_wait(semaphore, value, decrement=decrement)


def semaphore_signal_parallel(*signals):
    for signal in signals:
        pl.semaphore_signal(signal.ref, signal.inc, device_id=signal.device_id)


def semaphore_signal_multicast(semaphore, value=1, *, collective_axes):
    _stage("signal_everywhere", semaphore, jnp.asarray(value, jnp.int32), names=_names(collective_axes))


# Code in another language.


@dataclasses.dataclass(frozen=True)
class ShapeDtypeStruct:
    shape: tuple
    dtype: object
    layout: object


_SHORT = {"float": "f", "bfloat": "bf", "int": "i", "uint": "u"}


def _short_name(dtype):
    name = str(jnp.dtype(dtype))
    letters = name.rstrip("0123456789")
    return _SHORT[letters] + name[len(letters):] if letters in _SHORT else name


def inline_mgpu(*, arg_types=(), return_type=None):
    flat_types, types_tree = jax.tree.flatten(tuple(arg_types))
    results, results_tree = jax.tree.flatten(return_type)
    if return_type and not all(isinstance(r, ShapeDtypeStruct) for r in results):
        raise ValueError("inline_mgpu_p only supports plgpu.ShapeDtypeStruct return types.")
    if not all(isinstance(r, (SomeLayout, RefType)) for r in flat_types):
        raise ValueError("inline_mgpu_p only supports only SomeLayout and RefType arg types.")

    def inner(f):
        def wrapper(*args):
            flat, tree = jax.tree.flatten(tuple(args))
            if tree != types_tree:
                raise ValueError(f"Mismatched type shape: {tree} != {types_tree}")
            for value, ty in zip(flat, flat_types):
                if isinstance(value, jax.Ref) != isinstance(ty, RefType):
                    raise ValueError(f"Mismatched type: {value, ty}")
            found = staging.stage(
                "foreign",
                tuple(flat),
                {
                    "dtypes": ",".join(_short_name(r.dtype) for r in results),
                    "shapes": tuple(tuple(r.shape) for r in results),
                },
            )
            return jax.tree.unflatten(results_tree, found)

        return wrapper

    return inner

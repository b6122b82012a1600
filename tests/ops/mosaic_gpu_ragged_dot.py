"""Products of groups of rows and of columns: JAX's Hopper kernels, with groups that begin inside of blocks or are empty."""

import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import ragged_dot_mgpu, transposed_ragged_dot_mgpu
from mosaic import on_two_cores, show_kernel
from values import waves

ragged, transposed = on_two_cores(ragged_dot_mgpu), on_two_cores(transposed_ragged_dot_mgpu)
STEPS = dict(block_m=64, block_n=64, block_k=64, max_concurrent_steps=2, grid_block_n=1)


def members(sizes, count):
    """For each group, ones where rows belong to it."""
    ends = jnp.cumsum(sizes)
    rows = jnp.arange(count)
    return ((rows >= (ends - sizes)[:, None]) & (rows < ends[:, None])).astype(jnp.float32)


def of_rows(sizes):
    products = jnp.einsum("mk,gkn->gmn", rows.astype(jnp.float32), groups.astype(jnp.float32))
    return (products * members(sizes, 128)[:, :, None]).sum(0).astype(jnp.float16)


def of_columns(sizes):
    parts = left.astype(jnp.float32) * members(sizes, 128)[:, :, None]
    return jnp.einsum("gtm,tn->gmn", parts, right.astype(jnp.float32)).astype(jnp.float16)


rows = waves(128, 128, dtype="float16")
groups = waves(3, 128, 64, dtype="float16", step=0.91)
turned = groups.swapaxes(1, 2)
for sizes in ([128, 0, 0], [40, 25, 63], [64, 0, 64]):
    lengths, name = jnp.array(sizes, jnp.int32), "-".join(map(str, sizes))
    show_kernel(
        f"rows {name}",
        lambda: ragged.ragged_dot(rows, groups, group_sizes=lengths, **STEPS),
        lambda: of_rows(lengths),
    )
    show_kernel(
        f"rows {name}, transposed",
        lambda: ragged.ragged_dot(rows, turned, group_sizes=lengths, transpose_rhs=True, **STEPS),
        lambda: of_rows(lengths),
    )

left, right = waves(128, 64, dtype="float16"), waves(128, 64, dtype="float16", step=0.91)
for sizes in ([128, 0], [70, 58]):
    lengths, name = jnp.array(sizes, jnp.int32), "-".join(map(str, sizes))
    show_kernel(
        f"columns {name}",
        lambda: transposed.transposed_ragged_dot(left, right, group_sizes=lengths, **STEPS),
        lambda: of_columns(lengths),
    )

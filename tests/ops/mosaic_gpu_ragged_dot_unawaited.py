"""JAX's ragged products whose pipelines are longer than their slots: nothing waits for a product before its factors are overwritten
(`delay_release=1` without `wgmma_wait(1)`), so that hardware may compute something else than what is recorded.
"""

import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import ragged_dot_mgpu, transposed_ragged_dot_mgpu
from mosaic import on_two_cores, show_kernel
from values import waves

ragged, transposed = on_two_cores(ragged_dot_mgpu), on_two_cores(transposed_ragged_dot_mgpu)
STEPS = dict(block_m=64, block_n=64, block_k=64, max_concurrent_steps=2, grid_block_n=1)

rows, groups = waves(128, 512, dtype="float16"), waves(2, 512, 64, dtype="float16", step=0.91)
show_kernel(
    "rows",
    lambda: ragged.ragged_dot(rows, groups, group_sizes=jnp.array([64, 64], jnp.int32), **STEPS),
    lambda: jnp.einsum(
        "gmk,gkn->gmn", rows.reshape(2, 64, 512).astype(jnp.float32), groups.astype(jnp.float32)
    ).reshape(128, 64).astype(jnp.float16),
)

left, right = waves(256, 64, dtype="float16"), waves(256, 64, dtype="float16", step=0.91)
show_kernel(
    "columns",
    lambda: transposed.transposed_ragged_dot(left, right, group_sizes=jnp.array([16, 240], jnp.int32), **STEPS),
    lambda: jnp.stack(
        [jnp.dot(a.T.astype(jnp.float32), b.astype(jnp.float32)) for a, b in ((left[:16], right[:16]), (left[16:], right[16:]))]
    ).astype(jnp.float16),
)

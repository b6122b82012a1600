"""Products of groups of rows on pairs of Blackwell blocks; groups that begin inside of blocks or are empty."""

import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import blackwell_matmul_mgpu, blackwell_ragged_dot_mgpu
from mosaic import on_two_cores, show_kernel
from values import waves

mgpu = on_two_cores(blackwell_ragged_dot_mgpu)
rows, groups = waves(512, 128, dtype="float16"), waves(3, 128, 128, dtype="float16", step=0.91)


def plain(sizes):
    ends = jnp.cumsum(sizes)
    at = jnp.arange(rows.shape[0])
    members = ((at >= (ends - sizes)[:, None]) & (at < ends[:, None])).astype(jnp.float32)
    products = jnp.einsum("mk,gkn->gmn", rows.astype(jnp.float32), groups.astype(jnp.float32))
    return (products * members[:, :, None]).sum(0).astype(jnp.float16)


for steps in (2, 4):
    for sizes in ([512, 0, 0], [200, 60, 252], [0, 256, 256]):
        lengths = jnp.array(sizes, jnp.int32)
        config = mgpu.TuningConfig(
            tile_m=128,
            tile_n=64,
            tile_k=64,
            max_concurrent_steps=steps,
            collective=True,
            grid_tile_width=1,
            grid_minor_dim=blackwell_matmul_mgpu.MatmulDimension.N,
            epilogue_tile_n=32,
        )
        show_kernel(
            f"steps={steps} {'-'.join(map(str, sizes))}",
            lambda: mgpu.ragged_dot_kernel(rows, groups, lengths, config),
            lambda: plain(lengths),
        )

"""The product of JAX's Hopper kernels: warpgroups along either axis, pairs of blocks, an addend, two dtypes."""

import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import hopper_matmul_mgpu, hopper_mixed_type_matmul_mgpu
from mosaic import on_two_cores, show_kernel
from values import waves

mgpu = on_two_cores(hopper_matmul_mgpu)
mixed = on_two_cores(hopper_mixed_type_matmul_mgpu)
M, N = mgpu.MatmulDimension.M, mgpu.MatmulDimension.N
STEPS = dict(tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2)

a, b = waves(128, 192, dtype="float16"), waves(192, 256, dtype="float16", step=0.91)
c = waves(128, 256, dtype="float16", step=1.7)


def matmul(name, c=None, **config):
    def plain():
        product = jnp.dot(a, b, preferred_element_type=jnp.float32)
        return product.astype(jnp.float16) + (0 if c is None else c)

    show_kernel(name, lambda: mgpu.matmul(a, b, c, mgpu.TuningConfig(**STEPS, **config)), plain)


matmul("product")
matmul("rows", wg_dimension=M, epi_tile_n=32)
matmul("sum", c, grid_minor_dim=M, grid_tile_width=2)
matmul("pairs", cluster_dimension=N)

small = jnp.round(waves(128, 192) * 50).astype(jnp.int8)
right = waves(192, 128, dtype="bfloat16", step=0.91)
show_kernel(
    "mixed",
    lambda: mixed.mixed_matmul_kernel(small, right, out_dtype=jnp.bfloat16, config=mixed.TuningConfig(**STEPS)),
    lambda: jnp.dot(small.astype(jnp.float32), right.astype(jnp.float32)).astype(jnp.bfloat16),
)

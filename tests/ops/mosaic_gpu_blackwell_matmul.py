"""The product of JAX's Blackwell kernel, which is scheduled while it runs: one block, and pairs of blocks."""

import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import blackwell_matmul_mgpu
from mosaic import on_two_cores, show_kernel
from values import waves

mgpu = on_two_cores(blackwell_matmul_mgpu)
a, b = waves(256, 192, dtype="float16"), waves(192, 256, dtype="float16", step=0.91)
for collective in (False, True):
    for steps in (2, 4):
        config = mgpu.TuningConfig(
            tile_m=128, tile_n=64, tile_k=64, max_concurrent_steps=steps, collective=collective, epilogue_tile_n=32
        )
        show_kernel(
            f"collective={collective} steps={steps}",
            lambda: mgpu.matmul_kernel(a, b, config),
            lambda: jnp.dot(a, b, preferred_element_type=jnp.float32).astype(jnp.float16),
        )

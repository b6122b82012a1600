# Blocks that stick out over the end, and blocks that nobody asks for.
# jax: not run
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

x = jnp.ones((250, 64), jnp.float32)


def add_one(_, x_smem, o_smem):
    o_smem[...] = x_smem[...] + 1


def of_each_block(x_gmem, o_gmem):
    block = lax.axis_index("block")

    @pl.when(block < 2)
    def _():
        spec = plgpu.BlockSpec((64, 64), lambda i: (block * 2 + i, 0))
        plgpu.emit_pipeline(add_one, grid=(2,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=2)(
            x_gmem, o_gmem
        )


def of_rows_from_an_array(first_gmem, x_gmem, o_gmem):
    first = first_gmem[0]
    plgpu.emit_pipeline(
        add_one,
        grid=(4,),
        in_specs=[plgpu.BlockSpec((64, 64), lambda i: (first + i, 0))],
        out_specs=[plgpu.BlockSpec((64, 64), lambda i: (i, 0))],
        max_concurrent_steps=2,
    )(x_gmem, o_gmem)


plgpu.kernel(of_each_block, out_shape=x, grid=(3,), grid_names=("block",))(x)
plgpu.kernel(of_rows_from_an_array, out_shape=x)(jnp.array([0]), x)

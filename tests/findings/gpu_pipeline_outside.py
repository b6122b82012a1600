# Blocks of pipelines of a GPU that lie outside of their arrays.
# jax: not run
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

x = jnp.ones((256, 64), jnp.float32)


def add_one(_, x_smem, o_smem):
    o_smem[...] = x_smem[...] + 1


def element_offsets(x_gmem, o_gmem):
    plgpu.emit_pipeline(
        add_one,
        grid=(4,),
        in_specs=[plgpu.BlockSpec((64, 64), lambda i: (i * 64, 0))],
#                                           ^ PL120 error "divide by the block size 64"
        out_specs=[plgpu.BlockSpec((64, 64), lambda i: (i, 0))],
        max_concurrent_steps=2,
    )(x_gmem, o_gmem)


def of_each_block(x_gmem, o_gmem):
    block = lax.axis_index("block")
    plgpu.emit_pipeline(
        add_one,
        grid=(2,),
        in_specs=[plgpu.BlockSpec((64, 64), lambda i: (block * 4 + i, 0))],
#                                           ^ PL120 error "program (1,), step (0,): rows 256..320 of x_gmem, which has 256"
        out_specs=[plgpu.BlockSpec((64, 64), lambda i: (block * 2 + i, 0))],
        max_concurrent_steps=2,
    )(x_gmem, o_gmem)


def with_a_warpgroup_for_copies(x_gmem, o_gmem):
    plgpu.emit_pipeline_warp_specialized(
        add_one,
        grid=(4,),
        in_specs=[plgpu.BlockSpec((64, 64), lambda i: (i, 0))],
        out_specs=[plgpu.BlockSpec((64, 64), lambda i: (i - 1, 0))],
#                                            ^ PL120 error "step (0,): rows -64..0 of o_gmem"
        max_concurrent_steps=2,
        num_compute_wgs=1,
        wg_axis="wg",
        memory_registers=40,
    )(x_gmem, o_gmem)


plgpu.kernel(element_offsets, out_shape=x)(x)
plgpu.kernel(of_each_block, out_shape=x, grid=(2,), grid_names=("block",))(x)
plgpu.kernel(with_a_warpgroup_for_copies, out_shape=x, num_threads=2, thread_name="wg")(x)

"""Products of groups of rows with quantised matrices in Mosaic GPU: four bits or eight, for Hopper and Blackwell."""

import jax
import jax.numpy as jnp
import qwix

from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_common as common
from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_kernel_sm90_quant as hopper
from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_kernel_sm100_i8_quant as blackwell_i8
from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_kernel_sm100_quant as blackwell
from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_kernel_sm100_quant_post_scale as blackwell_post

ROWS, DEPTH, COLUMNS, GROUPS, TILE = 1024, 512, 1024, 8, 256


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def run(kernel, kind, left=None, post_scale=False, block_n=128):
    """A product whose right operands are of the kind, and whose left ones are, where one is given."""
    config = common.Config(block_m=128, block_n=block_n, block_k=128, num_stages=2, split_k=1, post_scale=post_scale)

    def product(x, x_scales, w, w_scales, sizes):
        x = x if left is None else qwix.QArray(x, x_scales, qtype=left)
        w = qwix.QArray(w, w_scales, qtype=kind)
        return kernel(x, w, sizes, out_dtype=jnp.bfloat16, config=config)

    jax.eval_shape(
        product,
        array(ROWS, DEPTH, dtype=left or jnp.bfloat16),
        array(ROWS, DEPTH // TILE),
        array(GROUPS, DEPTH, COLUMNS, dtype=kind),
        array(GROUPS, DEPTH // TILE, COLUMNS),
        array(GROUPS, dtype=jnp.int32),
    )


run(hopper.ragged_dot_quantized_kernel, jnp.int8, block_n=64)
run(blackwell.ragged_dot_gpu_quant_blackwell_kernel, jnp.int4)
run(blackwell_post.ragged_dot_gpu_quant_post_scale_blackwell_kernel, jnp.int4, post_scale=True)
run(blackwell_i8.ragged_dot_gpu_i8_quant_blackwell_kernel, jnp.int4, left=jnp.int8)

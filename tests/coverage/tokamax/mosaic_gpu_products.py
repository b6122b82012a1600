"""Products of groups of rows with the matrices of their groups in Mosaic GPU: for Ampere, Hopper and Blackwell."""

import functools

import jax
import jax.numpy as jnp

from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_common as common
from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_kernel_sm80 as ampere
from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_kernel_sm90 as hopper
from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_kernel_sm100 as blackwell

ROWS, DEPTH, COLUMNS, GROUPS = 1024, 512, 1024, 8


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


operands = array(ROWS, DEPTH), array(GROUPS, DEPTH, COLUMNS), array(GROUPS, dtype=jnp.int32)


def run(kernel, *operands, **options):
    config = common.Config(num_stages=2, split_k=1, **options)
    jax.eval_shape(functools.partial(kernel, out_dtype=jnp.bfloat16, config=config), *operands)


run(ampere.ragged_dot_kernel, *operands, block_m=64, block_n=128, block_k=64, persistent=False)
run(hopper.ragged_dot_kernel, *operands, block_m=64, block_n=128, block_k=128)
run(blackwell.ragged_dot_gpu_non_quant_blackwell_kernel, *operands, block_m=128, block_n=128, block_k=128)
sums = array(ROWS, DEPTH), array(ROWS, COLUMNS), array(GROUPS, dtype=jnp.int32)
run(hopper.ragged_contracting_dim_dot_kernel, *sums, block_m=64, block_n=128, block_k=64)

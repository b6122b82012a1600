"""Gated linear units in Mosaic GPU, both products in one kernel: for Ampere, Hopper and Blackwell."""

import functools

import jax
import jax.numpy as jnp

from tokamax._src.ops.gated_linear_unit import pallas_mosaic_gpu_common as common
from tokamax._src.ops.gated_linear_unit import pallas_mosaic_gpu_kernel_sm80 as ampere
from tokamax._src.ops.gated_linear_unit import pallas_mosaic_gpu_kernel_sm90 as hopper
from tokamax._src.ops.gated_linear_unit import pallas_mosaic_gpu_kernel_sm100 as blackwell

x = jax.ShapeDtypeStruct((1024, 512), jnp.bfloat16)
weights = jax.ShapeDtypeStruct((512, 2, 1024), jnp.bfloat16)

config = common.Config(tile_m=128, tile_n=128, tile_k=64, num_stages=2)


def run(module):
    jax.eval_shape(functools.partial(module.gated_linear_unit, activation=jax.nn.swish, config=config), x, weights)


run(ampere)
run(hopper)
run(blackwell)

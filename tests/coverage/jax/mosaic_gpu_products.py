"""Products of the Mosaic GPU ops: for Hopper and Blackwell, of two dtypes, of groups of rows and of columns."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import (
    blackwell_matmul_mgpu,
    blackwell_ragged_dot_mgpu,
    hopper_matmul_mgpu,
    hopper_mixed_type_matmul_mgpu,
    ragged_dot_mgpu,
    transposed_ragged_dot_mgpu,
)

Array = jax.ShapeDtypeStruct

x, y = Array((4096, 4096), jnp.float16), Array((4096, 8192), jnp.float16)
groups, sizes = Array((16, 4096, 8192), jnp.float16), Array((16,), jnp.int32)

tiles = hopper_matmul_mgpu.TuningConfig(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4)
jax.eval_shape(lambda x, y: hopper_matmul_mgpu.matmul(x, y, None, tiles), x, y)
mixed = hopper_mixed_type_matmul_mgpu.TuningConfig(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4)
product = functools.partial(hopper_mixed_type_matmul_mgpu.mixed_matmul_kernel, out_dtype=jnp.bfloat16, config=mixed)
jax.eval_shape(product, Array(x.shape, jnp.int8), Array(y.shape, jnp.bfloat16))
steps = dict(block_m=128, block_n=128, block_k=64, max_concurrent_steps=4, grid_block_n=4)
for transposed in (False, True):
    rhs = Array((16, 8192, 4096), jnp.float16) if transposed else groups
    product = functools.partial(ragged_dot_mgpu.ragged_dot, transpose_rhs=transposed, **steps)
    jax.eval_shape(lambda x, y, sizes: product(x, y, group_sizes=sizes), x, rhs, sizes)
product = functools.partial(transposed_ragged_dot_mgpu.transposed_ragged_dot, **steps)
jax.eval_shape(lambda x, y, sizes: product(x, y, group_sizes=sizes), x, y, sizes)

along_n = blackwell_matmul_mgpu.MatmulDimension.N
for collective in (False, True):
    tiles = dict(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4, collective=collective)
    config = blackwell_matmul_mgpu.TuningConfig(**tiles)
    jax.eval_shape(lambda x, y: blackwell_matmul_mgpu.matmul_kernel(x, y, config), x, y)
config = blackwell_ragged_dot_mgpu.TuningConfig(**tiles, grid_tile_width=1, grid_minor_dim=along_n)
jax.eval_shape(lambda x, y, s: blackwell_ragged_dot_mgpu.ragged_dot_kernel(x, y, s, config), x, groups, sizes)

"""Products of groups of rows in Mosaic GPU with both operands quantised, the right ones to four bits: in float8, for Blackwell."""

import types
from unittest import mock

import jax
import jax.numpy as jnp
import qwix
from jax.extend import backend

from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_common as common
from tokamax._src.ops.ragged_dot import pallas_mosaic_gpu_kernel_sm100_fp8_quant as blackwell_fp8

ROWS, DEPTH, COLUMNS, GROUPS, TILE = 1024, 512, 1024, 8, 256
config = common.Config(block_m=128, block_n=128, block_k=128, num_stages=2, split_k=1)


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def product(x, x_scales, w, w_scales, sizes):
    x = qwix.QArray(x, x_scales, qtype=jnp.float8_e4m3fn)
    w = qwix.QArray(w, w_scales, qtype=jnp.int4)
    return blackwell_fp8.ragged_dot_gpu_fp8_quant_blackwell_kernel(x, w, sizes, jnp.bfloat16, config)


# How many buffers fit depends on the device.
blackwell = types.SimpleNamespace(platform="gpu", compute_capability="10.0", core_count=148)
with mock.patch.object(backend, "get_default_device", lambda: blackwell):
    jax.eval_shape(
        product,
        array(ROWS, DEPTH, dtype=jnp.float8_e4m3fn),
        array(ROWS, DEPTH // TILE),
        array(GROUPS, DEPTH, COLUMNS, dtype=jnp.int4),
        array(GROUPS, DEPTH // TILE, COLUMNS),
        array(GROUPS, dtype=jnp.int32),
    )

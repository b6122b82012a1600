"""Decoding with keys of many lengths of ejkernel, on TPU and on GPU."""

import jax
import jax.numpy as jnp

from ejkernel.kernels._pallas.gpu.ragged_decode_attention import ragged_decode_attention as on_gpu
from ejkernel.kernels._pallas.tpu.ragged_decode_attention import ragged_decode_attention as on_tpu
from ejkernel.ops import FwdParams

BATCH, LENGTH, HEADS, KV_HEADS, DIM = 4, 1024, 16, 2, 128
q = jax.ShapeDtypeStruct((BATCH, HEADS, DIM), jnp.bfloat16)
kv = jax.ShapeDtypeStruct((BATCH, LENGTH, KV_HEADS, DIM), jnp.bfloat16)
bound = jax.ShapeDtypeStruct((BATCH,), jnp.int32)


def window(q, k, v, start, end):
    return on_tpu(q, k, v, start, end, sliding_window=(256, 0), logits_soft_cap=30.0)


def split(q, k, v, start, end):
    params = FwdParams(blocksize_heads=16, kv_blocksize=128, num_key_splits=4)
    return on_gpu(q, k, v, start, end, fwd_params=params)


for attend in (on_tpu, window, split):
    print(jax.eval_shape(attend, q, kv, kv, bound, bound))

"""Splash attention, forward and backward: causal, local and dense masks, segments, one or many heads of keys."""

import jax
import jax.numpy as jnp
import numpy as np

from tokamax._src.ops.experimental.tpu.splash_attention import splash_attention_kernel as splash
from tokamax._src.ops.experimental.tpu.splash_attention import splash_attention_mask as masks

HEADS, LENGTH, DIM = 4, 1024, 128
CONFIG = splash.SplashConfig(
    block_q=256,
    block_kv=512,
    block_kv_compute=256,
    block_q_dkv=256,
    block_kv_dkv=512,
    block_kv_dkv_compute=256,
)


def train(attention):
    """The output, and the gradients of its sum."""

    def both(q, k, v, *more):
        loss = lambda q, k, v: attention(q, k, v, *more).astype(jnp.float32).sum()
        return attention(q, k, v, *more), jax.grad(loss, argnums=(0, 1, 2))(q, k, v)

    return both


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


q = array(HEADS, LENGTH, DIM)
kv = array(HEADS, LENGTH, DIM)

causal = splash.make_splash_mha_single_device(masks.CausalMask((LENGTH, LENGTH)), config=CONFIG)
jax.eval_shape(train(causal), q, kv, kv)

segments = splash.SegmentIds(q=array(LENGTH, dtype=jnp.int32), kv=array(LENGTH, dtype=jnp.int32))
local = splash.make_splash_mha_single_device(masks.LocalMask((LENGTH, LENGTH), (256, 0), offset=0), config=CONFIG)
jax.eval_shape(train(local), q, kv, kv, segments)

dense = np.arange(LENGTH)[:, None] % 7 != np.arange(LENGTH)[None, :] % 7
grouped = splash.make_splash_mqa_single_device(dense, config=CONFIG)
jax.eval_shape(train(grouped), q, array(LENGTH, DIM), array(LENGTH, DIM))

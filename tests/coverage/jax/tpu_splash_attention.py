"""Splash attention of the TPU ops: masks that are functions or arrays, also arrays of JAX; keys of several heads
or of one."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.tpu import splash_attention as splash

Array = jax.ShapeDtypeStruct

HEADS, LENGTH, SIZE = 4, 1024, 128
q, kv = Array((HEADS, LENGTH, SIZE), jnp.bfloat16), Array((2, LENGTH, SIZE), jnp.bfloat16)
one = Array((LENGTH, SIZE), jnp.bfloat16)
ids = Array((LENGTH,), jnp.int32)
square = (LENGTH, LENGTH)
blocks = dict(block_q=512, block_kv=512, block_kv_compute=256, block_q_dkv=512, block_kv_dkv=512, block_kv_dkv_compute=256)
split = splash.BlockSizes(**blocks, block_q_dq=512, block_kv_dq=512)
fused = splash.BlockSizes(**blocks, use_fused_bwd_kernel=True)


def every_head(mask):
    return splash.MultiHeadMask([mask for _ in range(HEADS)])


def loss(kernel, q, k, v, ids):
    return jnp.sum(kernel(q, k, v, ids and splash.SegmentIds(ids, ids)).astype(jnp.float32))


numbers = splash.NumpyMask(np.tri(LENGTH, dtype=np.bool_))
for mask in (splash.CausalMask(square), splash.LocalMask(square, (256, 0), 0), splash.FullMask(square), numbers):
    for sizes in (split, fused):
        kernel = splash.make_splash_mha(every_head(mask), block_sizes=sizes, head_shards=1, q_seq_shards=1)
        jax.eval_shape(kernel, q, kv, kv)
        gradient = jax.grad(functools.partial(loss, kernel), argnums=(0, 1, 2))
        jax.eval_shape(gradient, q, kv, kv, None)

options = dict(head_shards=1, q_seq_shards=1, attn_logits_soft_cap=30.0)
shared = splash.make_splash_mqa(every_head(splash.CausalMask(square)), block_sizes=split, **options)
jax.eval_shape(shared, q, one, one)
jax.eval_shape(functools.partial(shared, segment_ids=None), q, one, one)

# A whole batch, as models call it.
batched = jax.vmap(splash.make_splash_mha_single_device(every_head(splash.CausalMask(square))))
jax.eval_shape(batched, *(Array((2, *a.shape), a.dtype) for a in (q, kv, kv)))

computed = splash.make_splash_mha(jnp.tri(LENGTH, dtype=jnp.bool_)[None].repeat(HEADS, 0), block_sizes=split, **options)
jax.eval_shape(computed, q, kv, kv)

"""Attention of maxtext: splash attention, decoding of ragged batches, and scores of an index of compressed keys."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as mask_lib
from maxtext.kernels.attention import csa_streamindex, ragged_attention, splash_attention_kernel

Array = jax.ShapeDtypeStruct

HEADS, LENGTH, SIZE = 8, 2048, 128
q, kv = Array((HEADS, LENGTH, SIZE), jnp.bfloat16), Array((2, LENGTH, SIZE), jnp.bfloat16)
ids = Array((LENGTH,), jnp.int32)
blocks = dict(block_q=512, block_kv=512, block_kv_compute=256, block_q_dkv=512, block_kv_dkv=512, block_kv_dkv_compute=256)
split = splash_attention_kernel.BlockSizes(**blocks, block_q_dq=512, block_kv_dq=512)
fused = splash_attention_kernel.BlockSizes(**blocks, use_fused_bwd_kernel=True)


def loss(kernel, q, k, v, ids):
    segments = splash_attention_kernel.SegmentIds(ids, ids)
    return jnp.sum(kernel(q, k, v, segments).astype(jnp.float32))


causal = mask_lib.CausalMask((LENGTH, LENGTH))
local = mask_lib.LocalMask((LENGTH, LENGTH), (512, 512), 0)
for mask in (causal, local, causal & local):
    for sizes in (split, fused):
        heads = mask_lib.MultiHeadMask([mask] * HEADS)
        options = dict(block_sizes=sizes, head_shards=1, q_seq_shards=1, attn_logits_soft_cap=50.0)
        kernel = splash_attention_kernel.make_splash_mha(heads, **options)
        jax.eval_shape(kernel, q, kv, kv)
        jax.eval_shape(jax.grad(functools.partial(loss, kernel), argnums=(0, 1, 2)), q, kv, kv, ids)

# One token of each sequence.
query, cache = Array((16, 1, 8, 128), jnp.bfloat16), Array((16, 2048, 8, 128), jnp.bfloat16)
grouped, lengths = Array((16, 2048, 2, 128), jnp.bfloat16), Array((16,), jnp.int32)
jax.eval_shape(ragged_attention.ragged_mha, query, cache, cache, lengths)
jax.eval_shape(ragged_attention.ragged_gqa, query, grouped, grouped, lengths)

q, keys, weights = Array((2, 32, 1024, 128), jnp.bfloat16), Array((2, 3000, 128), jnp.bfloat16), Array((2, 1024, 32), jnp.float32)


def scores(q, keys, weights):
    return jnp.sum(csa_streamindex.csa_streamindex_score(q, keys, weights, 0.1))


jax.eval_shape(jax.grad(scores, argnums=(0, 1, 2)), q, keys, weights)

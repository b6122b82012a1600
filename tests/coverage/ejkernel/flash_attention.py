"""Flash attention of ejkernel on TPU: a causal window, a bias with segments, and gradients."""

import jax
import jax.numpy as jnp

from ejkernel.kernels._pallas.tpu.flash_attention import flash_attention

BATCH, LENGTH, HEADS, DIM = 2, 512, 4, 128
q = jax.ShapeDtypeStruct((BATCH, LENGTH, HEADS, DIM), jnp.bfloat16)
kv = jax.ShapeDtypeStruct((BATCH, LENGTH, HEADS // 2, DIM), jnp.bfloat16)
bias = jax.ShapeDtypeStruct((BATCH, HEADS, LENGTH, LENGTH), jnp.float32)
segments = jax.ShapeDtypeStruct((BATCH, LENGTH), jnp.int32)


def window(q, k, v):
    return flash_attention(q, k, v, causal=True, sliding_window=(128, 0), logits_soft_cap=30.0)


def packed(q, k, v, bias, segments):
    return flash_attention(q, k, v, bias=bias, q_segment_ids=segments, kv_segment_ids=segments)


def loss(q, k, v):
    return flash_attention(q, k, v, causal=True).astype(jnp.float32).sum()


print(jax.eval_shape(window, q, kv, kv))
print(jax.eval_shape(packed, q, kv, kv, bias, segments))
print(jax.eval_shape(jax.grad(loss, argnums=(0, 1, 2)), q, kv, kv))

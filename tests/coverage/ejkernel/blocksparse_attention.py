"""Block sparse attention of ejkernel on TPU: causal, windows, segments, and gradients."""

import jax
import jax.numpy as jnp

from ejkernel.kernels._pallas.tpu.blocksparse_attention import blocksparse_attention
from ejkernel.ops import BwdParams, FwdParams

BATCH, HEADS, LENGTH, DIM = 1, 4, 512, 128
q = jax.ShapeDtypeStruct((BATCH, HEADS, LENGTH, DIM), jnp.float32)
segments = jax.ShapeDtypeStruct((BATCH, LENGTH), jnp.int32)
forward = FwdParams(q_blocksize=128, kv_blocksize=128)
backward = BwdParams(q_blocksize=128, kv_blocksize=128)


def attend(q, k, v, **options):
    return blocksparse_attention(q, k, v, fwd_params=forward, bwd_params=backward, **options)


def window(q, k, v):
    return attend(q, k, v, sliding_window=(128, 0), logits_soft_cap=20.0)


def packed(q, k, v, segments):
    return attend(q, k, v, q_segment_ids=segments, kv_segment_ids=segments)


def loss(q, k, v):
    return attend(q, k, v).sum()


print(jax.eval_shape(window, q, q, q))
print(jax.eval_shape(packed, q, q, q, segments))
print(jax.eval_shape(jax.grad(loss, argnums=(0, 1, 2)), q, q, q))

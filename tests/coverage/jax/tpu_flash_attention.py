"""Flash attention of the TPU ops: in one step and in several, causal, with segment ids and a bias, and its backward kernels."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu import flash_attention as fa

Array = jax.ShapeDtypeStruct

x, bias = Array((2, 4, 1024, 128), jnp.bfloat16), Array((2, 4, 1024, 1024), jnp.bfloat16)
ids = Array((2, 1024), jnp.int32)
one_step = fa.BlockSizes(block_q=512, block_k_major=1024, block_k=1024, block_b=1)


def attention(q, k, v, bias, q_ids, kv_ids, **options):
    segments = None if q_ids is None else fa.SegmentIds(q_ids, kv_ids)
    return fa.flash_attention(q, k, v, bias, segments, sm_scale=0.1, **options)


def loss(*arguments, **options):
    return jnp.sum(attention(*arguments, **options).astype(jnp.float32))


for causal in (False, True):
    run = functools.partial(attention, causal=causal)
    jax.eval_shape(run, x, x, x, None, None, None)
    jax.eval_shape(run, x, x, x, bias, ids, ids)
    jax.eval_shape(functools.partial(run, block_sizes=one_step), x, x, x, bias, ids, ids)
    gradient = jax.grad(functools.partial(loss, causal=causal), argnums=(0, 1, 2))
    jax.eval_shape(gradient, x, x, x, None, ids, ids)
jax.eval_shape(jax.grad(loss, argnums=(0, 1, 2, 3)), x, x, x, bias, ids, ids)

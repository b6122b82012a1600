"""Attention of the Mosaic GPU ops: with barriers of its own or an emitted pipeline, and its backward kernels."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import attention_mgpu as mgpu

x = jax.ShapeDtypeStruct((1, 4096, 4, 128), jnp.float16)
config = mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2)
both = dict(block_q_dkv=64, block_kv_dkv=64, block_q_dq=64, block_kv_dq=64)
backward = mgpu.TuningConfig(block_q=64, block_kv=64, max_concurrent_steps=2, **both)

jax.eval_shape(functools.partial(mgpu.attention, config=config), x, x, x)
jax.eval_shape(functools.partial(mgpu.attention_with_pipeline_emitter, config=config), x, x, x)


def loss(q, k, v):
    return jnp.sum(mgpu.attention(q, k, v, backward).astype(jnp.float32))


jax.eval_shape(jax.grad(loss, argnums=(0, 1, 2)), x, x, x)

# The backward kernels by themselves.
residuals = (x, x, x, x, jax.ShapeDtypeStruct((1, 4, 4096), jnp.float32))
jax.eval_shape(functools.partial(mgpu._attention_bwd, backward, False), residuals, x)

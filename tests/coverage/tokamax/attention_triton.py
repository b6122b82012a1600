"""Flash attention for Triton, forward and backward, as its op calls it: causal, biased, with grouped heads."""

import functools

import jax
import jax.numpy as jnp

from tokamax._src.ops.attention import pallas_triton, pallas_triton_vjp

# Configurations are given: tokamax would look for tuned ones in its files.
BACKWARD = pallas_triton_vjp.Config(block_m1=32, block_n1=64, block_m2=64, block_n2=32, num_stages=2, num_warps=4)
attention = pallas_triton.PallasTritonFlashAttention(
    config=pallas_triton.Config(block_q=64, block_k=64, num_stages=2, num_warps=4),
    vjp=pallas_triton_vjp.PallasTritonFlashAttentionVjp(config=BACKWARD, bypass_device_check=True),
    bypass_device_check=True,
)


def loss(q, k, v, **options):
    return attention(q, k, v, **options).astype(jnp.float32).sum()


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


q, kv = array(2, 1000, 8, 64), array(2, 1000, 2, 64)
jax.eval_shape(functools.partial(attention, is_causal=True), q, kv, kv)
jax.eval_shape(jax.grad(functools.partial(loss, is_causal=True), argnums=(0, 1, 2)), q, kv, kv)

bias, mask = array(2, 8, 256, 512), array(2, 1, 256, 512, dtype=jnp.bool_)
q, kv = array(2, 256, 8, 64), array(2, 512, 8, 64)
jax.eval_shape(lambda q, k, v, b, m: attention(q, k, v, bias=b, mask=m), q, kv, kv, bias, mask)
jax.eval_shape(jax.grad(lambda q, k, v, b: loss(q, k, v, bias=b), argnums=(0, 3)), q, kv, kv, bias)

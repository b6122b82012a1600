"""Fused attention of the Triton ops: causal, with segment ids, its backward kernels; decoding, and decoding from pages."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import attention, decode_attention, paged_attention

Array = jax.ShapeDtypeStruct

x = Array((2, 1024, 4, 64), jnp.float16)
ids = Array((2, 1024), jnp.int32)


def loss(q, k, v, ids, causal, **options):
    out = attention.mha(q, k, v, ids, 0.125, causal, **options)
    return jnp.sum(out.astype(jnp.float32))


for causal in (False, True):
    for segments in (None, ids):
        jax.eval_shape(functools.partial(attention.mha, sm_scale=0.125, causal=causal), x, x, x, segments)
        jax.eval_shape(jax.grad(functools.partial(loss, causal=causal), argnums=(0, 1, 2)), x, x, x, segments)
jax.eval_shape(functools.partial(attention.mha, return_residuals=True), x, x, x, None)

# One token of each sequence; keys and values shared by all heads, or by groups of them.
q, kv, grouped = Array((8, 16, 64), jnp.float16), Array((8, 4096, 64), jnp.float16), Array((8, 4096, 4, 64), jnp.float16)
jax.eval_shape(decode_attention.mqa, q, kv, kv)
lengths = Array((8,), jnp.int32)
jax.eval_shape(functools.partial(decode_attention.gqa, return_residuals=True), q, grouped, grouped, lengths, lengths)

pages, scales = Array((4, 512, 16, 64), jnp.float16), Array((4, 512, 16), jnp.float32)
tables = Array((8, 64), jnp.int32)
jax.eval_shape(paged_attention.paged_attention, q, pages, pages, tables, lengths)
quantized = Array((4, 512, 16, 64), jnp.int8)
jax.eval_shape(paged_attention.paged_attention, q, quantized, quantized, tables, lengths, scales, scales)

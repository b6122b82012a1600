"""Mixing of residual streams in maxtext, before and after a layer, and its backward kernels."""

import jax
import jax.numpy as jnp
from maxtext.kernels import mhc

Array = jax.ShapeDtypeStruct

SIZE, STREAMS, PERMUTATIONS = 1024, 4, 24
x = Array((2, 512, STREAMS, SIZE), jnp.bfloat16)
wide = STREAMS * SIZE
one = Array((1,), jnp.float32)
weights = mhc.MhcWeights(
    norm_scale=Array((wide,), jnp.float32),
    pre_alpha=Array((wide, STREAMS), jnp.float32),
    pre_bias=Array((STREAMS,), jnp.float32),
    pre_scale=one,
    post_alpha=Array((wide, STREAMS), jnp.float32),
    post_bias=Array((STREAMS,), jnp.float32),
    post_scale=one,
    res_alpha=Array((wide, PERMUTATIONS), jnp.float32),
    res_bias=Array((PERMUTATIONS,), jnp.float32),
    res_scale=one,
)
permutations = Array((PERMUTATIONS, STREAMS, STREAMS), jnp.float32)


def layer(x, weights, permutations):
    inside, context = mhc.pre(x, weights, permutations)
    return mhc.post(jnp.tanh(inside), context)


def loss(x, weights, permutations):
    return jnp.sum(layer(x, weights, permutations).astype(jnp.float32))


jax.eval_shape(layer, x, weights, permutations)
jax.eval_shape(jax.grad(loss, argnums=(0, 1)), x, weights, permutations)

"""Mixing of residual streams in maxtext, before and after a layer, and its backward kernels."""

import itertools

import jax
import jax.numpy as jnp
from maxtext.kernels import mhc

SIZE, STREAMS, PERMUTATIONS = 1024, 4, 24
x = jnp.ones((1, 256, STREAMS, SIZE), jnp.bfloat16)
wide = STREAMS * SIZE
weights = mhc.MhcWeights(
    norm_scale=jnp.ones(wide),
    pre_alpha=jnp.ones((wide, STREAMS)),
    pre_bias=jnp.zeros(STREAMS),
    pre_scale=jnp.ones(1),
    post_alpha=jnp.ones((wide, STREAMS)),
    post_bias=jnp.zeros(STREAMS),
    post_scale=jnp.ones(1),
    res_alpha=jnp.ones((wide, PERMUTATIONS)),
    res_bias=jnp.zeros(PERMUTATIONS),
    res_scale=jnp.ones(1),
)
permutations = jnp.eye(STREAMS)[jnp.array(list(itertools.permutations(range(STREAMS))))]
config = mhc.MhcKernelConfig(interpret=True)


def layer(x, weights):
    inside, context = mhc.pre(x, weights, permutations, config=config)
    return mhc.post(jnp.tanh(inside), context, config=config)


def loss(x, weights):
    return jnp.sum(layer(x, weights).astype(jnp.float32))


# The permutations have to be known: not inside of `jit`.
layer(x, weights)
jax.grad(loss, argnums=(0, 1))(x, weights)

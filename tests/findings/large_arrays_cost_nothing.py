# Arrays are known by their types: an array of 10**12 elements is no problem to analyse.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1.0


x = jnp.zeros((10**6, 10**6))
pl.pallas_call(kernel, grid=(10**6 // 8, pl.cdiv(10**6, 128)), out_shape=x, interpret=True,
               in_specs=[pl.BlockSpec((8, 128), lambda i, j: (i, j))],
               out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, j)))(x)

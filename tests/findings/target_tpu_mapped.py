# Lanes of a mapped launch stand in front: blocks keep what they have behind them. JAX's lowering for TPUs says the same.
# jax: runs
# target: tpu-v5e
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def whole(x):
    return pl.pallas_call(copy, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


def row(x):
    return pl.pallas_call(copy, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
#          ^ PL501 error "1 along dimension 0 is neither a multiple of 8 nor all 3"


def blocked(x, spec):
    return pl.pallas_call(copy, grid=(2,), in_specs=[spec], out_specs=spec, out_shape=x, interpret=True)(x)


jax.vmap(whole)(jnp.ones((3, 5, 7)))
jax.vmap(jax.vmap(whole))(jnp.ones((2, 3, 5, 7)))
jax.vmap(row)(jnp.ones((3, 100)))
jax.vmap(lambda x: blocked(x, pl.BlockSpec((8, 128), lambda i: (i, 0))))(jnp.ones((3, 16, 128)))
jax.vmap(lambda x: blocked(x, pl.BlockSpec((4, 128), lambda i: (i, 0))))(jnp.ones((3, 8, 128)))
#                                          ^ PL501 error "4 along dimension"

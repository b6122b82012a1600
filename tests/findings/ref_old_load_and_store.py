# `pl.load` and `pl.store`, which were removed in 0.9.0.
# jax: AttributeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add(x_ref, o_ref):
    i = pl.program_id(0)
    x = pl.load(x_ref, (pl.ds(i * 32, 32),))
    pl.store(o_ref, (pl.ds(i * 32, 32),), x + 1.0)


x = jnp.arange(128.0)
print(pl.pallas_call(add, grid=(4,), out_shape=x, interpret=True)(x).shape)

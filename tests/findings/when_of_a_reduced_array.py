# A condition that was reduced to one boolean.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)

    @pl.when(jnp.any(x_ref[...] > 0))
    def _():
        o_ref[...] = x_ref[...]

    @pl.when(True)
    def _():
        o_ref[0, 0] = 1.0


x = jnp.ones((8, 128))
print(pl.pallas_call(kernel, out_shape=x, interpret=True)(x).sum())

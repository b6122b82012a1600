# Overlapping windows, indexed by elements.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def window(x_ref, o_ref):
    o_ref[0] = jnp.sum(x_ref[...])


x = jnp.arange(130.0)
print(pl.pallas_call(window, grid=(16,), interpret=True,
                     in_specs=[pl.BlockSpec((pl.Element(10),), lambda i: (i * 8,))],
                     out_specs=pl.BlockSpec((1,), lambda i: (i,)),
                     out_shape=jax.ShapeDtypeStruct((16,), jnp.float32))(x))

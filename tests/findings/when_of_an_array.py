# A condition with dimensions.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    @pl.when(x_ref[...] > 0)
#    ^ PL115 error "Pred must be a scalar"
    def _():
        o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=x, interpret=True)(x)

# Without a grid there are no axes.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(o_ref):
    o_ref[0] = pl.program_id(0)
#              ^ PL114 error "give the pallas_call a `grid`"


pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((1,), jnp.int32), interpret=True)()

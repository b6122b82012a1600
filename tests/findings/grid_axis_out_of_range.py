# The grid has one axis.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(o_ref):
    o_ref[0] = pl.program_id(1)
#              ^ PL114 error "grid axis 1 does not exist"


pl.pallas_call(kernel, grid=(4,), out_shape=jax.ShapeDtypeStruct((4,), jnp.int32),
               out_specs=pl.BlockSpec((1,), lambda i: (i,)), interpret=True)()

# A misspelt name.
# jax: AttributeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(o_ref):
    o_ref[0] = pl.program_ids(0)
#              ^ PL312 error "program_id"


pl.pallas_call(kernel, grid=(4,), out_shape=jax.ShapeDtypeStruct((1,), jnp.int32), interpret=True)()

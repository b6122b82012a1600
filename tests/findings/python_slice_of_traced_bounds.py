# A slice from a program id.
# jax: TracerBoolConversionError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    i = pl.program_id(0)
    o_ref[...] = x_ref[i * 32:(i + 1) * 32]
#                ^ PL307 error "pl.ds"


x = jnp.arange(128.0)
pl.pallas_call(kernel, grid=(4,), out_shape=x, in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
               out_specs=pl.BlockSpec((32,), lambda i: (i,)), interpret=True)(x)

# Input and output differ in dtype.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def narrow(x_ref, o_ref):
    o_ref[...] = x_ref[...].astype(jnp.bfloat16)


x = jnp.ones((8, 128))
pl.pallas_call(narrow, out_shape=jax.ShapeDtypeStruct(x.shape, jnp.bfloat16), interpret=True,
               input_output_aliases={0: 0})(x)
#                                   ^ PL111 error "different abstract value"

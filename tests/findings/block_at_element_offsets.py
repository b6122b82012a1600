# The index map returns element offsets (jax issue 38497).
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def scale(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0


x = jnp.arange(128.0)
print(pl.pallas_call(scale, grid=(4,), out_shape=x, interpret=True,
                     in_specs=[pl.BlockSpec((32,), lambda i: (i,))],
                     out_specs=pl.BlockSpec((32,), lambda i: (i * 32,)))(x))
#                                                  ^ PL120 error "program (1,): elements 1024..1056 of o_ref, which has 128"

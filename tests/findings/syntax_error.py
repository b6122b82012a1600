# A missing colon costs its own statement only; what follows is still checked.
# jax: SyntaxError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref)
#                       ^ PL000 error "expected ':'"
    o_ref[...] = x_ref[...]


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0


x = jnp.arange(128.0)
print(pl.pallas_call(double, grid=(4,), out_shape=x,
                     in_specs=[pl.BlockSpec((32,), lambda i: (i * 32,))],
#                                                  ^ PL120 error "divide by the block size 32"
                     out_specs=pl.BlockSpec((32,), lambda i: (i,)), interpret=True)(x))

# Of a statement that does not parse that is all that is said: not that `grid` is no name, nor that the call lacks its operands.
# jax: SyntaxError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2.0


def double(x):
    return pl.pallas_call(
        kernel,
        in_specs=[pl.BlockSpec((32,), lambda i: (i,))],
        out_specs=pl.BlockSpec((32,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=)(x)
#           ^ PL000 error "invalid syntax"


y = jnp.reshape(double(jnp.arange(128.0))
#              ^ PL000 error "'(' was never closed"
z = jnp.
#      ^ PL000 error "invalid syntax"
print(undefined)
#     ^ PL001 error "name 'undefined' is not defined"

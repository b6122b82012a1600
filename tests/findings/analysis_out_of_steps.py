# A loop without end; what follows is still checked.
# jax: does not end
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

count = 0
while True:
#     ^ PL003 info "too many steps"
    count += 1


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.arange(64.0)
pl.pallas_call(kernel, grid=(2,), out_shape=x, interpret=True,
               in_specs=[pl.BlockSpec((32,), lambda i: (i + 1,))],
#                                            ^ PL120 error "outside x"
               out_specs=pl.BlockSpec((32,), lambda i: (i,)))(x)

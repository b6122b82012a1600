# `pl.when` makes a decorator: as a condition it is always true, as a statement it does nothing.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def accumulate(x_ref, o_ref):
    if pl.when(pl.program_id(0) == 0):
#      ^ PL314 error "which Python takes for true"
        o_ref[...] = jnp.zeros_like(o_ref)
    pl.when(pl.program_id(0) == 1)
#   ^ PL314 error "as a statement does nothing"
    o_ref[...] = x_ref[...] if not pl.when(pl.program_id(0) == 2) else x_ref[...] + 1.0
#                                  ^ PL314 error "which Python takes for true"


x = jnp.ones((8, 128), jnp.float32)
block = pl.BlockSpec((8, 128), lambda i: (0, 0))
out = pl.BlockSpec((8, 128), lambda i: (i, 0))
shape = jax.ShapeDtypeStruct((16, 128), jnp.float32)
print(pl.pallas_call(accumulate, grid=(2,), in_specs=[block], out_specs=out, out_shape=shape, interpret=True)(x).sum())

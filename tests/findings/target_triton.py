# What Triton takes. Interpret mode takes all of it.
# jax: runs
# target: triton
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]
#                ^ PL503 error "Triton moves powers of two: this has 96 elements"
#   ^ PL503 error "take 128 elements"


def rows(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((192,))
y = jnp.ones((64, 48))
spec = pl.BlockSpec((96,), lambda i: (i,))
pl.pallas_call(copy, grid=(2,), in_specs=[spec], out_specs=spec, out_shape=x, interpret=True)(x)
spec = pl.BlockSpec((32, 16), lambda i, j: (i, j))
pl.pallas_call(rows, grid=(2, 3), in_specs=[spec], out_specs=spec, out_shape=y, interpret=True)(y)
# Axes beyond the third are made one.
z = jnp.ones((2, 2, 2, 2))
spec = pl.BlockSpec((1, 1, 1, 1), lambda *ids: ids)
pl.pallas_call(
    rows,
    grid=(2, 2, 2, 2),
    in_specs=[spec],
    out_specs=spec,
    out_shape=z,
    interpret=True,
)(z)

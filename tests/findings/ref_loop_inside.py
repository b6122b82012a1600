# Loops over blocks, rows up to the diagonal, and bounds from data.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jax import lax


def total(x_ref, n_ref, o_ref):
    i = pl.program_id(0)

    def blocks(k, acc):
        return acc + jnp.sum(x_ref[i, pl.ds(k * 8, 8)])

    def up_to_here(k, acc):
        return acc + x_ref[k, i]

    def as_many_as_said(k, acc):
        return acc + x_ref[i, k]

    acc = lax.fori_loop(0, 4, blocks, 0.0)
    acc = lax.fori_loop(0, i + 1, up_to_here, acc)
    o_ref[0] = lax.fori_loop(0, n_ref[0], as_many_as_said, acc)


x = jnp.ones((8, 32))
print(pl.pallas_call(total, grid=(8,), interpret=True, out_specs=pl.BlockSpec((1,), lambda i: (i,)),
                     out_shape=jax.ShapeDtypeStruct((8,), jnp.float32))(x, jnp.array([3])))

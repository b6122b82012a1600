# Nobody calls these functions: operands that go to each other's Refs, and operands that do not.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def difference(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] - y_ref[...]


def exchanged(x, y, block=128):
    rows, columns = x.shape
    spec = pl.BlockSpec((block, columns), lambda i: (i, 0))
    return pl.pallas_call(difference, grid=(pl.cdiv(rows, block),), in_specs=[spec, spec], out_specs=spec, out_shape=x)(y, x)
#                                                                                                                       ^ PL133 info "`x_ref` is given `y`"


def in_order(x, y, block=128):
    rows, columns = x.shape
    spec = pl.BlockSpec((block, columns), lambda i: (i, 0))
    return pl.pallas_call(difference, grid=(pl.cdiv(rows, block),), in_specs=[spec, spec], out_specs=spec, out_shape=x)(x, y)

# Arguments with other names, of other shapes, or in their places.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def difference(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] - y_ref[...]


def scaled(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] * y_ref[...]


def subtract(x, y, z):
    launch = pl.pallas_call(difference, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)
    return launch(x, y) + launch(y, z) + launch(z, x) + launch(y, y) + launch(y + 0, x)


def scale(x, y):
    # The kernel takes the row for `x`: shapes say what is meant.
    return pl.pallas_call(scaled, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(y, x)


x = jnp.ones((8, 128))
subtract(x, x + 1, x + 2)
scale(x, x[:1])

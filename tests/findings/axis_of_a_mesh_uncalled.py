# Nobody calls this function here: whoever does binds the axis that it names.
# jax: runs
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def gather(x: jax.Array, axis_name: str = "x"):
    count = lax.axis_size(axis_name)
    mine = lax.axis_index(axis_name)
    out = jax.ShapeDtypeStruct((count * x.shape[0],), x.dtype)
    return pl.pallas_call(copy, out_shape=out)(x + mine)


def misspelled(x: jax.Array):
    return pl.pallas_call(copy, out_shape=jnp.zeros_like(xx))(x)
#                                                        ^ PL001 error "name 'xx' is not defined"

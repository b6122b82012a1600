# Structures, arrays and lists of them describe outputs.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def twice(x_ref, a_ref, b_ref):
    a_ref[...] = x_ref[...]
    b_ref[...] = x_ref[...] * 2.0


x = jnp.ones((8, 128))
a, b = pl.pallas_call(twice, out_shape=(jax.ShapeDtypeStruct(x.shape, x.dtype), x), interpret=True)(x)
a, b = pl.pallas_call(twice, out_shape=[x, jax.ShapeDtypeStruct((8, 128), "float32")], interpret=True)(x)
print(a.sum(), b.sum())

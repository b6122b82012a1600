"""out_shape given as a ShapeDtypeStruct, an array, or something with shape and dtype."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...].astype(o_ref.dtype)


x = jnp.arange(3.0) + 0.75
for out in (x, jax.ShapeDtypeStruct(x.shape, jnp.int32), jnp.zeros(3, jnp.bfloat16),
            jax.ShapeDtypeStruct((3,), np.float16), jax.ShapeDtypeStruct((3,), "float32"),
            jax.eval_shape(lambda a: a > 1, x)):
  print(repr(pl.pallas_call(kernel, out_shape=out, interpret=True)(x)))

s = jax.ShapeDtypeStruct((2, 3), jnp.bfloat16)
print(s, s.shape, s.dtype, s.ndim, s.size)
print(s == jax.ShapeDtypeStruct((2, 3), jnp.bfloat16), s == jax.ShapeDtypeStruct((3, 2), jnp.bfloat16))

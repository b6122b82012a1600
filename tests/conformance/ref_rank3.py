"""Rank-3 Refs: mixed integers, slices and reshapes of what was read."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref, p_ref):
  x = x_ref[0, 1:3, :]
  o_ref[...] = x.T + x_ref[1, 0, 0]
  p_ref[0] = x_ref[:, 1, :2].reshape(4)
  p_ref[1] = x_ref[1, :2, -2:].ravel()
  p_ref[2] = x_ref[..., -1].sum(axis=1).repeat(2)


x = jnp.arange(24).reshape(2, 3, 4)
out = [jax.ShapeDtypeStruct((4, 2), jnp.int32), jax.ShapeDtypeStruct((3, 4), jnp.int32)]
o, p = pl.pallas_call(kernel, out_shape=out, interpret=True)(x)
print(o)
print(p)

"""Augmented assignment to Refs, whole and in part, and set/get spelled out."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...]
  o_ref[0] += 100
  o_ref[1:3] *= 2
  o_ref[3] -= o_ref[2]
  o_ref[4] //= 3
  o_ref[5] %= 2
  o_ref[6:] |= 1
  o_ref[7] <<= 3
  o_ref[6] ^= 15


x = jnp.arange(10, 18)
print(pl.pallas_call(kernel, out_shape=x, interpret=True)(x))


def float_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...]
  o_ref[...] /= 4
  o_ref[...] **= 2
  o_ref[0] = -o_ref[1]
  o_ref[:2] = o_ref[:2] + 0.5


y = jnp.arange(1.0, 5.0)
print(pl.pallas_call(float_kernel, out_shape=y, interpret=True)(y))


def scalar_kernel(x_ref, o_ref):
  o_ref[()] = x_ref[()] + x_ref[...] * x_ref[()]


print(repr(pl.pallas_call(scalar_kernel, out_shape=jax.ShapeDtypeStruct((), jnp.float32), interpret=True)(jnp.float32(3))))

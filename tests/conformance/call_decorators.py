"""pallas_call as a decorator through partial, in jit, in lambdas, and reused for two shapes."""
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

out = jax.ShapeDtypeStruct((4,), jnp.float32)


@functools.partial(pl.pallas_call, out_shape=out, interpret=True)
def double(x_ref, o_ref):
  o_ref[...] = 2 * x_ref[...]


@jax.jit
def through_jit(x):
  return double(x) + 1


def any_shape(x):
  def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...].sum(axis=-1)
  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape[:-1], x.dtype), interpret=True)(x)


x = jnp.arange(4.0)
print(double(x))
print(through_jit(x))
print(any_shape(jnp.ones((2, 3))), any_shape(jnp.ones((2, 2, 5))))
print(pl.pallas_call(lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...] ** 2), out_shape=out, interpret=True)(x))
call = functools.partial(pl.pallas_call, interpret=True, name="negate")
print(call(lambda x_ref, o_ref: [o_ref.__setitem__(i, -x_ref[i]) for i in range(4)] and None, out_shape=out)(x))

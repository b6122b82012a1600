"""fori_loop in kernels: carries of several kinds, traced bounds, Refs written in the body."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def kernel(n_ref, o_ref):
  n = n_ref[0]

  def body(i, carry):
    total, (low, high), words = carry
    return total + i, (jnp.minimum(low, i), jnp.maximum(high, i)), {"count": words["count"] + 1}

  total, (low, high), words = lax.fori_loop(2, n, body, (0, (100, -100), {"count": jnp.int32(0)}))
  o_ref[0] = total
  o_ref[1] = low
  o_ref[2] = high
  o_ref[3] = words["count"]

  def write(i, _):
    o_ref[4 + i] = i * i
    return _
  lax.fori_loop(0, 4, write, None)


out = jax.ShapeDtypeStruct((8,), jnp.int32)
for n in (2, 3, 10):
  print(n, pl.pallas_call(kernel, out_shape=out, interpret=True)(jnp.array([n])))


def unrolled(o_ref):
  def body(i, acc):
    return acc * 2 + 1
  o_ref[0] = lax.fori_loop(0, 8, body, 0, unroll=True)
  o_ref[1] = lax.fori_loop(0, 8, body, 0, unroll=4)
  o_ref[2] = lax.fori_loop(0, 0, body, 5)


print(pl.pallas_call(unrolled, out_shape=jax.ShapeDtypeStruct((3,), jnp.int32), interpret=True)())

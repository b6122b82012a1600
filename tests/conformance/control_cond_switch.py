"""cond, switch, select and jnp.where, in kernels and outside."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
  i = pl.program_id(0)
  x = x_ref[i]
  o_ref[i, 0] = lax.cond(x > 2, lambda v: v * 10, lambda v: -v, x)
  o_ref[i, 1] = lax.switch(i, [lambda: 100, lambda: 200 + x, lambda: 300])
  o_ref[i, 2] = jnp.where(x % 2 == 0, 1, 0)
  o_ref[i, 3] = lax.select(x > 1, x, jnp.zeros_like(x))

  def write():
    o_ref[i, 4] = 9

  def skip():
    o_ref[i, 4] = i

  lax.cond(i == 1, write, skip)


x = jnp.array([1, 2, 3, 4, 5])
print(pl.pallas_call(kernel, grid=(5,), out_shape=jax.ShapeDtypeStruct((5, 5), jnp.int32), interpret=True)(x))
print(lax.cond(True, lambda a, b: a + b, lambda a, b: a - b, 5, 3))
print(lax.switch(-4, [lambda: 1, lambda: 2]), lax.switch(9, [lambda: 1, lambda: 2]))
print(lax.select_n(jnp.array([0, 1, 2]), jnp.zeros(3), jnp.ones(3), jnp.full(3, 2.0)))

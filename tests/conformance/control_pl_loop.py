"""pl.loop: bounds, step, unroll, carries, nested loops."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(o_ref):
  o_ref[...] = jnp.zeros_like(o_ref)

  @pl.loop(0, 4)
  def _(i):
    o_ref[0, i] = i

  @pl.loop(0, 8, step=3)
  def _(i):
    o_ref[1, i] = i * 10

  @pl.loop(0, 8, unroll=4)
  def _(i):
    o_ref[2, i] = 7 - i

  @pl.loop(1, 3)
  def _(i):
    @pl.loop(0, 4, step=2)
    def _(j):
      o_ref[3, i * 2 + j] += 1 + i

  @pl.loop(0, pl.num_programs(0) * 8, unroll=True)
  def _(i):
    o_ref[4, i] = -1


print(pl.pallas_call(kernel, grid=(1,), out_shape=jax.ShapeDtypeStruct((5, 8), jnp.int32), interpret=True)())


def carried(x_ref, o_ref):
  @pl.loop(0, 5, init_carry=jnp.int32(1))
  def product(i, carry):
    return carry * x_ref[i]
  o_ref[0] = product


print(pl.pallas_call(carried, out_shape=jax.ShapeDtypeStruct((1,), jnp.int32), interpret=True)(jnp.arange(1, 6)))

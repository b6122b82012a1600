"""while_loop: a count that depends on data, Refs read in the body, several carries."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def gcd(a_ref, b_ref, o_ref):
  i = pl.program_id(0)
  a, _ = lax.while_loop(lambda ab: ab[1] != 0, lambda ab: (ab[1], ab[0] % ab[1]), (a_ref[i], b_ref[i]))
  o_ref[i] = a


a, b = jnp.array([12, 17, 100, 0]), jnp.array([18, 5, 75, 9])
print(pl.pallas_call(gcd, grid=(4,), out_shape=a, interpret=True)(a, b))


def search(x_ref, o_ref):
  def condition(state):
    i, _ = state
    return (i < x_ref.shape[0]) & (x_ref[jnp.minimum(i, 7)] < 20)

  def body(state):
    i, total = state
    return i + 1, total + x_ref[i]

  i, total = lax.while_loop(condition, body, (jnp.int32(0), jnp.int32(0)))
  o_ref[0] = i
  o_ref[1] = total


for x in (jnp.arange(8) * 4, jnp.full((8,), 100), jnp.ones(8, jnp.int32)):
  print(pl.pallas_call(search, out_shape=jax.ShapeDtypeStruct((2,), jnp.int32), interpret=True)(x))

print(lax.while_loop(lambda x: x < 100, lambda x: x * 3, 1))

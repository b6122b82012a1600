"""pallas_call under jit, inside loops over steps, chained, and in functions with tuples of results."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def step(x):
  def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2 + 1
  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


@jax.jit
def three_steps(x):
  for _ in range(3):
    x = step(x)
  return x, {"sum": x.sum()}


print(three_steps(jnp.arange(3)))
print(jax.lax.fori_loop(0, 4, lambda i, x: step(x), jnp.zeros(2, jnp.int32)))
print(jax.lax.scan(lambda c, x: (step(c), c + x), jnp.int32(0) + jnp.zeros((), jnp.int32), jnp.arange(3)))
print(jax.eval_shape(step, jax.ShapeDtypeStruct((4, 5), jnp.bfloat16)))
print(jax.vmap(step)(jnp.arange(6).reshape(2, 3)))

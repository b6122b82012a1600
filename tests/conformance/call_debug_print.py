"""pl.debug_print and jax.debug.print: what they write, and in which order."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
  i = pl.program_id(0)
  pl.debug_print("program {}", i)
  jax.debug.print("x[{index}] = {value}", index=i, value=x_ref[i])
  o_ref[i] = x_ref[i] * 2


x = jnp.arange(3.0) + 0.5
result = pl.pallas_call(kernel, out_shape=x, grid=(3,), interpret=True)(x)
jax.effects_barrier()
print(result)


@jax.jit
def f(x):
  jax.debug.print("inside f: {x}, half {h:.2f}", x=x, h=x.sum() / 2)
  return x + 1


y = f(jnp.arange(3))
jax.effects_barrier()
print(y)
jax.debug.print("outside: {}", jnp.ones((2, 2)))

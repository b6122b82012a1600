"""pl.run_state: Refs outside of a pallas_call."""
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def body(refs):
  x_ref, y_ref = refs
  y_ref[...] = x_ref[...] * 3
  x_ref[0] = -1


print(pl.run_state(body)((jnp.arange(4), jnp.zeros(4, jnp.int32))))


def countdown(ref):
  def step(i, _):
    ref[i] = 10 - i
  lax.fori_loop(0, 5, step, None)


print(pl.run_state(countdown)(jnp.zeros(5, jnp.int32)))

"""What kernels may not take from outside, and Refs where indices should be: the messages."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def tell(function, *args):
  try:
    print(function(*args))
  except Exception as error:
    text = str(error).split("\n")[0]
    start, captured, rest = text.partition(" captures ")
    print(type(error).__name__, start.partition(" at ")[0] + captured + rest)


def scaled(x_ref, o_ref, *, scale):
  o_ref[...] = x_ref[...] * scale


def launch(x, scale):
  return pl.pallas_call(functools.partial(scaled, scale=scale), out_shape=x, interpret=True)(x)


def twice(x_ref, o_ref):
  order = np.array([3, 2, 1, 0])
  o_ref[order] = x_ref[order]


def by_ref(x_ref, i_ref, o_ref):
  values = x_ref[...]
  o_ref[...] = values[i_ref]


def copy(i_ref, x_ref, o_ref):
  o_ref[...] = x_ref[...]


x = jnp.arange(4.0)
i = jnp.array([3, 2, 1, 0])
tell(jax.jit(launch), x, 2.0)
tell(jax.jit(launch), x, x)
tell(jax.jit(launch, static_argnames="scale"), x, 2.0)
tell(pl.pallas_call(twice, out_shape=x, interpret=True), x)
tell(pl.pallas_call(by_ref, out_shape=x, interpret=True), x, i)
spec = pltpu.PrefetchScalarGridSpec(
    num_scalar_prefetch=1, grid=(4,),
    in_specs=[pl.BlockSpec((1,), lambda i_ref, step: (i_ref[step],))],
    out_specs=pl.BlockSpec((1,), lambda step, i_ref: (step,)))
tell(pl.pallas_call(copy, grid_spec=spec, out_shape=x, interpret=True), i, x)

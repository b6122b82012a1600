"""Kernels made by functions: Python is the template language.

A kernel is traced, not parsed, so closures, higher-order functions, default
arguments and Python loops all work and leave nothing behind at run time.
"""

from functools import partial
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def make_kernel(eltwise: Callable[[jax.Array], jax.Array]):
  """A kernel that adds its inputs and applies `eltwise` to the sum."""
  def add(x_ref, y_ref, o_ref):
    o_ref[...] = eltwise(x_ref[...] + y_ref[...])
  return add


def call(kernel, *arrays: jax.Array) -> jax.Array:
  out_shape = jax.ShapeDtypeStruct(arrays[0].shape, arrays[0].dtype)
  return pl.pallas_call(kernel, out_shape=out_shape, interpret=True)(*arrays)


one = jnp.float32(1.0)
print("make_kernel(double)(1, 1) =", call(make_kernel(lambda x: x * 2), one, one))
print("make_kernel(exp)(1, 1)    =", call(make_kernel(jnp.exp), one, one))

# A chain of stages, composed in Python and fused into one kernel.
def compose(*stages):
  def composed(x):
    for stage in stages:
      x = stage(x)
    return x
  return composed


x = jnp.arange(-4, 4, dtype=jnp.float32)
y = jnp.full_like(x, 0.5)
STAGES = {
    "square": compose(jnp.square),
    "relu then halve": compose(jax.nn.relu, lambda x: x / 2),
    "abs, sqrt, negate": compose(jnp.abs, jnp.sqrt, jnp.negative),
}
for name, stages in STAGES.items():
  result = call(make_kernel(stages), x, y)
  np.testing.assert_allclose(result, stages(x + y), rtol=1e-6)
  print(f"{name:18}", " ".join(f"{value:.3f}" for value in result))


# A kernel of any number of operands: the Refs arrive as a tuple.
def sum_kernel(*refs):
  *in_refs, o_ref = refs
  total = in_refs[0][...]
  for ref in in_refs[1:]:
    total += ref[...]
  o_ref[...] = total


for count in (1, 2, 5):
  operands = [jnp.full((3,), float(n)) for n in range(1, count + 1)]
  print(f"sum of {count} operands: {call(sum_kernel, *operands)}")


# Horner's rule, unrolled for the coefficients given.
def polynomial_kernel(x_ref, o_ref, *, coefficients):
  x = x_ref[...]
  result = jnp.zeros_like(x)
  for coefficient in coefficients:
    result = result * x + coefficient
  o_ref[...] = result


for coefficients in ((1.0, 0.0), (1.0, -2.0, 1.0), (2.0, 0.0, 0.0, -5.0)):
  kernel = partial(polynomial_kernel, coefficients=coefficients)
  print(f"polynomial {coefficients}: {call(kernel, x)}")

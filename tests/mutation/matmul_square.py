"""A matrix product of squares with an accumulator in scratch memory, so that nothing in the shapes tells axes apart."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def matmul_kernel(x_ref, y_ref, o_ref, acc_ref, *, steps):
  k = pl.program_id(2)

  @pl.when(k == 0)
  def _():
    acc_ref[...] = jnp.zeros_like(acc_ref)

  acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

  @pl.when(k == steps - 1)
  def _():
    o_ref[...] = acc_ref[...].astype(o_ref.dtype)


def matmul(x, y, block=32):
  n = x.shape[0]
  steps = n // block
  return pl.pallas_call(
      functools.partial(matmul_kernel, steps=steps),
      grid=(steps, steps, steps),
      in_specs=[
          pl.BlockSpec((block, block), lambda i, j, k: (i, k)),
          pl.BlockSpec((block, block), lambda i, j, k: (k, j)),
      ],
      out_specs=pl.BlockSpec((block, block), lambda i, j, k: (i, j)),
      out_shape=jax.ShapeDtypeStruct((n, n), jnp.bfloat16),
      scratch_shapes=[pltpu.VMEM((block, block), jnp.float32)],
      compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
      interpret=True,
  )(x, y)


x = jnp.sin(jnp.arange(96 * 96.0)).reshape(96, 96).astype(jnp.bfloat16)
y = jnp.cos(jnp.arange(96 * 96.0)).reshape(96, 96).astype(jnp.bfloat16)
result = matmul(x, y)

"""A product with weights of eight bits, which have a scale for each column."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def product_kernel(x_ref, w_ref, s_ref, o_ref, acc_ref):
  k = pl.program_id(1)

  @pl.when(k == 0)
  def _():
    acc_ref[...] = jnp.zeros_like(acc_ref)

  w = w_ref[...].astype(jnp.float32)
  acc_ref[...] += jnp.dot(x_ref[...], w, preferred_element_type=jnp.float32)

  @pl.when(k == pl.num_programs(1) - 1)
  def _():
    o_ref[...] = acc_ref[...] * s_ref[...]


def product(x, w, s):
  m, n = x.shape[0], w.shape[1]
  return pl.pallas_call(
      product_kernel,
      grid=(4, 3),
      in_specs=[
          pl.BlockSpec((m, 32), lambda j, k: (0, k)),
          pl.BlockSpec((32, 32), lambda j, k: (k, j)),
          pl.BlockSpec((1, 32), lambda j, k: (0, j)),
      ],
      out_specs=pl.BlockSpec((m, 32), lambda j, k: (0, j)),
      out_shape=jax.ShapeDtypeStruct((m, n), jnp.float32),
      scratch_shapes=[pltpu.VMEM((m, 32), jnp.float32)],
      interpret=True,
  )(x, w, s)


x = jnp.sin(jnp.arange(16 * 96.0)).reshape(16, 96)
w = (jnp.arange(96 * 128) * 37 % 255 - 127).astype(jnp.int8).reshape(96, 128)
s = jnp.arange(1.0, 129.0).reshape(1, 128) / 128
result = product(x, w, s)

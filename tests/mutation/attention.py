"""Attention that walks over blocks of keys with a running maximum and sum."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

BQ, BK = 16, 32


def attention_kernel(q_ref, k_ref, v_ref, o_ref, m_ref, l_ref, acc_ref):
  step = pl.program_id(2)

  @pl.when(step == 0)
  def _():
    m_ref[...] = jnp.full_like(m_ref, -jnp.inf)
    l_ref[...] = jnp.zeros_like(l_ref)
    acc_ref[...] = jnp.zeros_like(acc_ref)

  scores = jnp.dot(q_ref[...], k_ref[...].T, preferred_element_type=jnp.float32)
  m = jnp.maximum(m_ref[...], scores.max(axis=1, keepdims=True))
  p = jnp.exp(scores - m)
  scale = jnp.exp(m_ref[...] - m)
  l_ref[...] = l_ref[...] * scale + p.sum(axis=1, keepdims=True)
  acc_ref[...] = acc_ref[...] * scale + jnp.dot(p, v_ref[...], preferred_element_type=jnp.float32)
  m_ref[...] = m

  @pl.when(step == pl.num_programs(2) - 1)
  def _():
    o_ref[...] = acc_ref[...] / l_ref[...]


def attention(q, k, v):
  heads, length, size = q.shape
  return pl.pallas_call(
      attention_kernel,
      grid=(heads, length // BQ, length // BK),
      in_specs=[
          pl.BlockSpec((None, BQ, size), lambda h, i, j: (h, i, 0)),
          pl.BlockSpec((None, BK, size), lambda h, i, j: (h, j, 0)),
          pl.BlockSpec((None, BK, size), lambda h, i, j: (h, j, 0)),
      ],
      out_specs=pl.BlockSpec((None, BQ, size), lambda h, i, j: (h, i, 0)),
      out_shape=jax.ShapeDtypeStruct(q.shape, jnp.float32),
      scratch_shapes=[
          pltpu.VMEM((BQ, 1), jnp.float32),
          pltpu.VMEM((BQ, 1), jnp.float32),
          pltpu.VMEM((BQ, size), jnp.float32),
      ],
      interpret=True,
  )(q, k, v)


q, k, v = (jnp.sin(jnp.arange(2 * 64 * 16.0) * factor).reshape(2, 64, 16) for factor in (1.0, 1.7, 2.3))
result = attention(q, k, v)

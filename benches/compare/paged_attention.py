"""One step of decoding with keys and values in pages: 8 sequences, 8 heads, pages of 16 tokens found through a table."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from harness import main, values

PAGE = 16


def inputs(small):
  sequences, heads, size, pages = (2, 2, 64, 4) if small else (8, 8, 64, 64)
  count = sequences * pages
  table = jnp.asarray((np.arange(count) * 5 % count).reshape(sequences, pages), jnp.int32)
  lengths = jnp.asarray(PAGE * pages - 3 - np.arange(sequences) * 7, jnp.int32)
  return (table, lengths, values((sequences, heads, size)), values((count, heads, PAGE, size), step=0.53),
          values((count, heads, PAGE, size), step=0.71))


def kernel(table_ref, lengths_ref, q_ref, k_ref, v_ref, o_ref, highest_ref, sums_ref, total_ref):
  sequence, page = pl.program_id(0), pl.program_id(1)

  @pl.when(page == 0)
  def _():
    highest_ref[...] = jnp.full_like(highest_ref, -1e30)
    sums_ref[...] = jnp.zeros_like(sums_ref)
    total_ref[...] = jnp.zeros_like(total_ref)

  scores = jnp.sum(q_ref[...][:, None, :] * k_ref[...], axis=-1) * np.float32(1 / np.sqrt(q_ref.shape[-1]))
  tokens = page * PAGE + lax.broadcasted_iota(jnp.int32, scores.shape, 1)
  scores = jnp.where(tokens < lengths_ref[sequence], scores, -1e30)
  higher = jnp.maximum(highest_ref[...], scores.max(axis=-1, keepdims=True))
  correction = jnp.exp(highest_ref[...] - higher)
  weights = jnp.exp(scores - higher)
  sums_ref[...] = sums_ref[...] * correction + weights.sum(axis=-1, keepdims=True)
  total_ref[...] = total_ref[...] * correction + jnp.sum(weights[:, :, None] * v_ref[...], axis=1)
  highest_ref[...] = higher
  o_ref[...] = total_ref[...] / sums_ref[...]


def launch(table, lengths, q, k, v):
  sequences, heads, size = q.shape
  rows = pl.BlockSpec((None, heads, size), lambda s, p, table, lengths: (s, 0, 0))
  pages = pl.BlockSpec((None, heads, PAGE, size), lambda s, p, table, lengths: (table[s, p], 0, 0, 0))
  one = pltpu.VMEM((heads, 1), jnp.float32)
  return pl.pallas_call(
      kernel,
      grid_spec=pltpu.PrefetchScalarGridSpec(
          num_scalar_prefetch=2, grid=(sequences, table.shape[1]), in_specs=[rows, pages, pages], out_specs=rows,
          scratch_shapes=[one, one, pltpu.VMEM((heads, size), jnp.float32)]),
      out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype), interpret=True)(table, lengths, q, k, v)


def reference(table, lengths, q, k, v):
  keys, others = k[table], v[table]
  scores = jnp.einsum("shd,sphtd->shpt", q, keys) / np.float32(np.sqrt(q.shape[-1]))
  scores = scores.reshape(q.shape[0], q.shape[1], -1)
  scores = jnp.where(jnp.arange(scores.shape[-1]) < lengths[:, None, None], scores, -1e30)
  weights = jax.nn.softmax(scores, axis=-1).reshape(q.shape[0], q.shape[1], -1, PAGE)
  return jnp.einsum("shpt,sphtd->shd", weights, others)


main(inputs, launch, reference, tolerance=1e-3)

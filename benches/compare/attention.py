"""Attention with a running maximum: 8 heads, 2048 queries and keys of 64 numbers."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

from harness import main, values

BLOCK = 128


def inputs(small):
  shape = (2, 256, 64) if small else (8, 2048, 64)
  return values(shape), values(shape, step=0.53), values(shape, step=0.71)


def kernel(q_ref, k_ref, v_ref, o_ref, *, causal):
  queries, size = q_ref.shape
  first = pl.program_id(1) * queries
  q = q_ref[...] * np.float32(1 / np.sqrt(size))

  def body(step, carry):
    total, highest, sums = carry
    keys = pl.ds(step * BLOCK, BLOCK)
    scores = jnp.dot(q, k_ref[keys, :].T, preferred_element_type=jnp.float32)
    if causal:
      rows = first + lax.broadcasted_iota(jnp.int32, scores.shape, 0)
      columns = step * BLOCK + lax.broadcasted_iota(jnp.int32, scores.shape, 1)
      scores = jnp.where(rows >= columns, scores, -1e30)
    higher = jnp.maximum(highest, scores.max(axis=-1))
    correction = jnp.exp(highest - higher)
    weights = jnp.exp(scores - higher[:, None])
    sums = sums * correction + weights.sum(axis=-1)
    total = total * correction[:, None] + jnp.dot(weights, v_ref[keys, :], preferred_element_type=jnp.float32)
    return total, higher, sums

  steps = lax.div(first + queries + BLOCK - 1, BLOCK) if causal else k_ref.shape[0] // BLOCK
  start = (jnp.zeros((queries, size), jnp.float32), jnp.full((queries,), -1e30, jnp.float32),
           jnp.zeros((queries,), jnp.float32))
  total, _, sums = lax.fori_loop(0, steps, body, start)
  o_ref[...] = total / sums[:, None]


def launch(q, k, v, causal=False):
  heads, length, size = q.shape
  block = pl.BlockSpec((None, BLOCK, size), lambda h, i: (h, i, 0))
  whole = pl.BlockSpec((None, length, size), lambda h, i: (h, 0, 0))
  return pl.pallas_call(
      functools.partial(kernel, causal=causal), grid=(heads, length // BLOCK), in_specs=[block, whole, whole],
      out_specs=block, out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype), interpret=True)(q, k, v)


def reference(q, k, v, causal=False):
  scores = jnp.einsum("hqd,hkd->hqk", q, k) / np.float32(np.sqrt(q.shape[-1]))
  if causal:
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[1:], bool)), scores, -1e30)
  return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores, axis=-1), v)


def operations(q, k, v, causal=False):
  """Of both products; a causal kernel leaves out the blocks above the diagonal."""
  heads, length, size = q.shape
  blocks = length // BLOCK
  pairs = blocks * (blocks + 1) // 2 if causal else blocks * blocks
  return 4 * heads * pairs * BLOCK * BLOCK * size


if __name__ == "__main__":
  main(inputs, launch, reference, tolerance=1e-3, operations=operations)

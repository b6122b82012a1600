"""Attention with a running maximum and sum: the scores are never stored.

Program (head, i) owns one block of queries and walks over the blocks of keys
and values with `lax.fori_loop`, keeping the output, the largest score and the
sum of exponentials up to date. Later keys than the query are masked.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl


def attention_kernel(q_ref, k_ref, v_ref, o_ref, *, block_k: int, causal: bool):
  block_q, head_size = q_ref.shape
  q = q_ref[...] / np.sqrt(head_size).astype(np.float32)
  first_query = pl.program_id(1) * block_q

  def body(step, carry):
    acc, running_max, running_sum = carry
    keys = pl.ds(step * block_k, block_k)
    scores = q @ k_ref[keys, :].T
    if causal:
      rows = first_query + lax.broadcasted_iota(jnp.int32, scores.shape, 0)
      columns = step * block_k + lax.broadcasted_iota(jnp.int32, scores.shape, 1)
      scores = jnp.where(rows >= columns, scores, -jnp.inf)
    new_max = jnp.maximum(running_max, scores.max(axis=-1))
    correction = jnp.exp(running_max - new_max)
    weights = jnp.exp(scores - new_max[:, None])
    running_sum = running_sum * correction + weights.sum(axis=-1)
    acc = acc * correction[:, None] + weights @ v_ref[keys, :]
    return acc, new_max, running_sum

  steps = k_ref.shape[0] // block_k
  if causal:  # blocks of keys behind the last query of this block are skipped
    steps = lax.div(first_query + block_q + block_k - 1, block_k)
  carry = (jnp.zeros((block_q, head_size), jnp.float32),
           jnp.full((block_q,), -jnp.inf, jnp.float32),
           jnp.zeros((block_q,), jnp.float32))
  acc, _, total = lax.fori_loop(0, steps, body, carry)
  o_ref[...] = (acc / total[:, None]).astype(o_ref.dtype)


@functools.partial(jax.jit, static_argnames=("block_q", "block_k", "causal"))
def attention(q, k, v, *, block_q: int = 16, block_k: int = 16, causal: bool = False):
  heads, length, head_size = q.shape
  queries = pl.BlockSpec((None, block_q, head_size), lambda h, i: (h, i, 0))
  whole = pl.BlockSpec((None, length, head_size), lambda h, i: (h, 0, 0))
  return pl.pallas_call(
      functools.partial(attention_kernel, block_k=block_k, causal=causal),
      grid=(heads, length // block_q),
      in_specs=[queries, whole, whole],
      out_specs=queries,
      out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype),
      interpret=True,
  )(q, k, v)


def reference(q, k, v, causal):
  scores = jnp.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1])
  if causal:
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
  return jnp.einsum("hqk,hkd->hqd", jax.nn.softmax(scores, axis=-1), v)


q, k, v = (jax.random.normal(key, (2, 64, 8)) for key in jax.random.split(jax.random.key(0), 3))
for causal in (False, True):
  expected = reference(q, k, v, causal)
  for block_q, block_k in ((16, 16), (32, 16), (64, 64)):
    result = attention(q, k, v, block_q=block_q, block_k=block_k, causal=causal)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
    print(f"causal={causal!s:5} blocks of {block_q} queries and {block_k} keys: close to the reference")

print("the first query sees only the first key:", bool(jnp.allclose(result[:, 0], v[:, 0], atol=1e-6)))
print("head 0, query 5:", " ".join(f"{value:.3f}" for value in result[0, 5]))

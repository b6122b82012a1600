"""Attention without a mask, bf16: 64 heads of 4096 positions and 64 features, 128 queries to a program."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

BLOCK_K = 64


def attention_kernel(q_ref, k_ref, v_ref, o_ref):
  q = q_ref[...]
  rows = q.shape[0]

  def step(j, carry):
    acc, m, l = carry
    k = k_ref[pl.ds(j * BLOCK_K, BLOCK_K), :]
    v = v_ref[pl.ds(j * BLOCK_K, BLOCK_K), :]
    s = jnp.dot(q, k.T, preferred_element_type=jnp.float32) * 0.125
    new = jnp.maximum(m, jnp.max(s, axis=1))
    p = jnp.exp(s - new[:, None])
    alpha = jnp.exp(m - new)
    acc = acc * alpha[:, None] + jnp.dot(p.astype(v.dtype), v, preferred_element_type=jnp.float32)
    return acc, new, l * alpha + jnp.sum(p, axis=1)

  acc = jnp.zeros(o_ref.shape, jnp.float32)
  m = jnp.full((rows,), -jnp.inf, jnp.float32)
  l = jnp.zeros((rows,), jnp.float32)
  acc, m, l = jax.lax.fori_loop(0, k_ref.shape[0] // BLOCK_K, step, (acc, m, l))
  o_ref[...] = (acc / l[:, None]).astype(o_ref.dtype)


def run(q, k, v):
  heads, length, features = q.shape
  queries = pl.BlockSpec((None, 128, features), lambda h, i: (h, i, 0))
  whole = pl.BlockSpec((None, length, features), lambda h, i: (h, 0, 0))
  return pl.pallas_call(
      attention_kernel, grid=(heads, length // 128), in_specs=[queries, whole, whole], out_specs=queries,
      out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype))(q, k, v)


CASES = {"attention": [(64, 4096, 64)] * 3}
# What interpret mode runs, too.
SMALL = [(2, 256, 64)] * 3
DTYPE = jnp.bfloat16

if __name__ == "__main__":
  for shapes in [*CASES.values(), SMALL]:
    run(*[jnp.ones(shape, DTYPE) for shape in shapes])

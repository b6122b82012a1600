"""Matrix products: dtypes, transposes, a loop over blocks of the sum, and attention."""

import functools
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt

S = jax.ShapeDtypeStruct
params = plt.CompilerParams(num_warps=4, num_stages=3)


def matmul(x_ref, y_ref, o_ref):
  def body(k, total):
    x = x_ref[:, pl.ds(k * 32, 32)]
    y = y_ref[pl.ds(k * 32, 32), :]
    return total + jnp.dot(x, y, preferred_element_type=jnp.float32)

  total = jax.lax.fori_loop(0, 4, body, jnp.zeros((64, 64), jnp.float32))
  o_ref[...] = total.astype(o_ref.dtype)


def dtypes(x_ref, y_ref, o_ref):
  x, y = x_ref[...], y_ref[...]
  a = jnp.dot(x, y.T)
  b = jax.lax.dot_general(x.astype(jnp.float16), y.astype(jnp.float16), (((1,), (1,)), ((), ())))
  c = jnp.dot(x.astype(jnp.int8), y.T.astype(jnp.int8), preferred_element_type=jnp.int32)
  o_ref[...] = a + b.astype(jnp.float32) + c.astype(jnp.float32)


def precisions(x_ref, y_ref, o_ref):
  x, y = x_ref[...], y_ref[...]
  a = jnp.dot(x, y.T, precision=jax.lax.Precision.HIGHEST) + jnp.dot(x, y.T, precision="high")
  b = jax.lax.dot_general(x, y, (((1,), (1,)), ((), ())), precision=(jax.lax.Precision.HIGHEST, jax.lax.Precision.DEFAULT))
  o_ref[...] = a + b + pl.dot(x, y, trans_b=True, allow_tf32=False) + (x @ y.T)


def attention(q_ref, k_ref, v_ref, o_ref, *, block, scale):
  q = q_ref[...]
  top = jnp.full((64,), -float("inf"), jnp.float32)
  below = jnp.zeros((64,), jnp.float32)
  total = jnp.zeros((64, 64), jnp.float32)

  def body(j, carry):
    total, top, below = carry
    k = k_ref[pl.ds(j * block, block), :]
    v = v_ref[pl.ds(j * block, block), :]
    s = jnp.dot(q, k.T, preferred_element_type=jnp.float32) * scale
    highest = jnp.maximum(top, jnp.max(s, axis=1))
    p = jnp.exp(s - highest[:, None])
    shrink = jnp.exp(top - highest)
    below = below * shrink + jnp.sum(p, axis=1)
    total = total * shrink[:, None] + jnp.dot(p.astype(v.dtype), v, preferred_element_type=jnp.float32)
    return total, highest, below

  total, top, below = jax.lax.fori_loop(0, 256 // block, body, (total, top, below))
  o_ref[...] = (total / below[:, None]).astype(o_ref.dtype)


x = jnp.ones((256, 128), jnp.bfloat16)
y = jnp.ones((128, 256), jnp.bfloat16)
pl.pallas_call(
    matmul,
    out_shape=S((256, 256), jnp.bfloat16),
    grid=(4, 4),
    in_specs=[pl.BlockSpec((64, 128), lambda i, j: (i, 0)), pl.BlockSpec((128, 64), lambda i, j: (0, j))],
    out_specs=pl.BlockSpec((64, 64), lambda i, j: (i, j)),
    compiler_params=params,
)(x, y)

f = jnp.ones((32, 64), jnp.float32)
pl.pallas_call(dtypes, out_shape=S((32, 32), jnp.float32), compiler_params=params)(f, f)

pl.pallas_call(precisions, out_shape=S((32, 32), jnp.float32), compiler_params=params)(f, f)

q = jnp.ones((2, 256, 64), jnp.bfloat16)
whole = pl.BlockSpec((None, 256, 64), lambda h, i: (h, 0, 0))
rows = pl.BlockSpec((None, 64, 64), lambda h, i: (h, i, 0))
pl.pallas_call(
    functools.partial(attention, block=32, scale=0.125),
    out_shape=S((2, 256, 64), jnp.bfloat16),
    grid=(2, 4),
    in_specs=[rows, whole, whole],
    out_specs=rows,
    compiler_params=params,
)(q, q, q)

# Keys and values that are only reshaped and passed on: what is made up for them has the shape of the query, and all heads have a block.
# jax: not run
import jax
from jax.experimental import pallas as pl


def kernel(q_ref, k_ref, v_ref, o_ref):
    o_ref[...] = q_ref[...] * k_ref[...] + v_ref[...]


def attention(q: jax.Array, k: jax.Array, v: jax.Array, *, interpret: bool = False) -> jax.Array:
    b, h, t, c = q.shape
    q, k, v = q.reshape(-1, t, c), k.reshape(-1, t, c), v.reshape(-1, t, c)
    block = pl.BlockSpec((1, t, c), lambda i: (i, 0, 0))
    out = pl.pallas_call(kernel, grid=(b * h,), in_specs=[block] * 3, out_specs=block, out_shape=q, interpret=interpret)(q, k, v)
    return out.reshape(b, h, t, c)

# Causal attention over blocks of keys, with a loop bound from the program id.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jax import lax


def attention(q_ref, k_ref, v_ref, o_ref, *, block):
    i = pl.program_id(0)
    q = q_ref[...]
    rows = i * block + lax.broadcasted_iota(jnp.int32, (block, block), 0)

    def body(j, carry):
        acc, largest, total = carry
        k = k_ref[pl.ds(j * block, block), :]
        v = v_ref[pl.ds(j * block, block), :]
        s = q @ k.T
        columns = j * block + lax.broadcasted_iota(jnp.int32, (block, block), 1)
        s = jnp.where(rows >= columns, s, -1e30)
        new = jnp.maximum(largest, jnp.max(s, axis=1))
        scale = jnp.exp(largest - new)
        p = jnp.exp(s - new[:, None])
        return acc * scale[:, None] + p @ v, new, total * scale + jnp.sum(p, axis=1)

    start = (jnp.zeros(q.shape), jnp.full((block,), -1e30), jnp.zeros((block,)))
    acc, _, total = lax.fori_loop(0, i + 1, body, start)
    o_ref[...] = acc / total[:, None]


n, d, block = 64, 16, 16
q = jnp.ones((n, d))
whole = pl.BlockSpec((n, d), lambda i: (0, 0))
rows = pl.BlockSpec((block, d), lambda i: (i, 0))
print(pl.pallas_call(lambda *refs: attention(*refs, block=block), grid=(n // block,), out_shape=q,
                     in_specs=[rows, whole, whole], out_specs=rows, interpret=True)(q, q, q).shape)

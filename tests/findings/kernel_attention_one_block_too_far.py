# The same with a bound that is one too large.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

import functools

from jax import lax


def attention(q_ref, k_ref, o_ref, *, block):
    i = pl.program_id(0)

    def body(j, acc):
        k = k_ref[pl.ds(j * block, block), :]
#           ^ PL202 error "program (3,), loop counter 4: rows 64..80 of k_ref, which has 64"
        return acc + q_ref[...] @ k.T

    o_ref[...] = lax.fori_loop(0, i + 2, body, jnp.zeros((block, block)))


n, d, block = 64, 16, 16
q = jnp.ones((n, d))
whole = pl.BlockSpec((n, d), lambda i: (0, 0))
rows = pl.BlockSpec((block, d), lambda i: (i, 0))
print(pl.pallas_call(functools.partial(attention, block=block), grid=(n // block,), in_specs=[rows, whole],
                     out_specs=pl.BlockSpec((block, block), lambda i: (i, 0)),
                     out_shape=jax.ShapeDtypeStruct((n, block), jnp.float32), interpret=True)(q, q).shape)

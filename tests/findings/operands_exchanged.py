# Arguments of one shape that go to each other's Refs.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def difference(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] - y_ref[...]


def subtract(x, y):
    return pl.pallas_call(difference, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(y, x)
#                                                                                                       ^ PL133 info "`x_ref` is given `y` and `y_ref` is given `x`"


def attend(q_ref, k_ref, v_ref, o_ref):
    scores = jax.nn.softmax(q_ref[...] @ k_ref[...].T, axis=-1)
    o_ref[...] = scores @ v_ref[...]


def attention(q, k, v):
    whole = pl.BlockSpec(q.shape, lambda: (0, 0))
    attended = pl.pallas_call(attend, in_specs=[whole] * 3, out_specs=whole, out_shape=q, interpret=True)
    return attended(k, v, q)
#                   ^ PL133 info "`q_ref` is given `k`, `v_ref` is given `q`, and `k_ref` is given `v`"


x = jnp.ones((8, 128))
subtract(x, x + 1)
attention(x, x, x)

# Every form of index.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    i = pl.program_id(0)
    o_ref[...] = x_ref[...]
    o_ref[0] = x_ref[1]
    o_ref[..., 0] = x_ref[:, 1]
    o_ref[0:4, :] = x_ref[4:8]
    o_ref[pl.ds(i, 4), 2:4] = x_ref[pl.ds(4, 4), pl.ds(0, 2)]
    o_ref[i, i] = x_ref[i, 0]
    o_ref[::2, 0:1] = x_ref[pl.ds(0, 4, stride=2), 5:6]


x = jnp.ones((8, 128))
print(pl.pallas_call(kernel, grid=(4,), out_shape=x, interpret=True)(x).sum())

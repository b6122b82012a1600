# The last block sticks out over the end: it is padded and cut.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def matmul(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] @ y_ref[...]


x = jnp.ones((100, 128))
y = jnp.ones((128, 250))
grid = (pl.cdiv(100, 32), pl.cdiv(250, 64))
print(pl.pallas_call(matmul, grid=grid, interpret=True,
                     in_specs=[pl.BlockSpec((32, 128), lambda i, j: (i, 0)),
                               pl.BlockSpec((128, 64), lambda i, j: (0, j))],
                     out_specs=pl.BlockSpec((32, 64), lambda i, j: (i, j)),
                     out_shape=jax.ShapeDtypeStruct((100, 250), jnp.float32))(x, y).sum())

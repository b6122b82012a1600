# Program ids in the wrong order in a matrix product.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def matmul(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] @ y_ref[...]


x = jnp.ones((64, 128))
y = jnp.ones((128, 256))
print(pl.pallas_call(matmul, grid=(2, 8), interpret=True,
                     in_specs=[pl.BlockSpec((32, 128), lambda i, j: (j, 0)),
#                                                      ^ PL120 error "program (0, 2): rows 64..96 of x_ref, which has 64"
                               pl.BlockSpec((128, 32), lambda i, j: (0, j))],
                     out_specs=pl.BlockSpec((32, 32), lambda i, j: (i, j)),
                     out_shape=jax.ShapeDtypeStruct((64, 256), jnp.float32))(x, y))

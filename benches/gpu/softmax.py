"""softmax of rows of 4096 floats, four rows to a program."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def softmax_kernel(x_ref, o_ref):
  x = x_ref[...]
  e = jnp.exp(x - jnp.max(x, axis=1, keepdims=True))
  o_ref[...] = e / jnp.sum(e, axis=1, keepdims=True)


def run(x):
  block = pl.BlockSpec((4, x.shape[1]), lambda i: (i, 0))
  return pl.pallas_call(
      softmax_kernel, grid=(x.shape[0] // 4,), in_specs=[block], out_specs=block,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


CASES = {"softmax": [(8192, 4096)]}
# What interpret mode runs, too.
SMALL = [(8, 4096)]
DTYPE = jnp.float32

if __name__ == "__main__":
  for shapes in [*CASES.values(), SMALL]:
    run(*[jnp.ones(shape, DTYPE) for shape in shapes])

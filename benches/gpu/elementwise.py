"""gelu of 64 Mi floats, block by block."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def gelu_kernel(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = x * 0.5 * (1.0 + jnp.tanh(0.7978846 * (x + 0.044715 * x * x * x)))


def run(x):
  block = pl.BlockSpec((4096,), lambda i: (i,))
  return pl.pallas_call(
      gelu_kernel, grid=(x.shape[0] // 4096,), in_specs=[block], out_specs=block,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


CASES = {"elementwise": [(64 * 1024 * 1024,)]}
# What interpret mode runs, too.
SMALL = [(3 * 4096,)]
DTYPE = jnp.float32

if __name__ == "__main__":
  for shapes in [*CASES.values(), SMALL]:
    run(*[jnp.ones(shape, DTYPE) for shape in shapes])

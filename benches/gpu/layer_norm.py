"""Layer norm of rows of 4096 floats, four rows to a program."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def layer_norm_kernel(x_ref, w_ref, b_ref, o_ref):
  x = x_ref[...]
  centred = x - jnp.mean(x, axis=1, keepdims=True)
  scale = jax.lax.rsqrt(jnp.mean(centred * centred, axis=1, keepdims=True) + 1e-5)
  o_ref[...] = centred * scale * w_ref[...][None, :] + b_ref[...][None, :]


def run(x, w, b):
  rows = pl.BlockSpec((4, x.shape[1]), lambda i: (i, 0))
  whole = pl.BlockSpec((x.shape[1],), lambda i: (0,))
  return pl.pallas_call(
      layer_norm_kernel, grid=(x.shape[0] // 4,), in_specs=[rows, whole, whole], out_specs=rows,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x, w, b)


CASES = {"layer_norm": [(8192, 4096), (4096,), (4096,)]}
# What interpret mode runs, too.
SMALL = [(8, 4096), (4096,), (4096,)]
DTYPE = jnp.float32

if __name__ == "__main__":
  for shapes in [*CASES.values(), SMALL]:
    run(*[jnp.ones(shape, DTYPE) for shape in shapes])

"""The last block: filled with NaN or the smallest integer on input, cut on output."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
  o_ref[...] = x_ref[...]


def blocks(x, rows):
  """Every block as the kernel sees it, side by side."""
  n = pl.cdiv(x.shape[0], rows)
  return pl.pallas_call(
      copy,
      grid=(n,),
      in_specs=[pl.BlockSpec((rows,), lambda i: (i,))],
      out_specs=pl.BlockSpec((rows,), lambda i: (i,)),
      out_shape=jax.ShapeDtypeStruct((n * rows,), x.dtype),
      interpret=True,
  )(x)


for dtype in (jnp.float32, jnp.bfloat16, jnp.float16, jnp.int32, jnp.int8, jnp.uint8, jnp.uint32, jnp.bool_):
  x = (jnp.arange(1, 6) % 3).astype(dtype)
  print(f"{x.dtype.name:9}", blocks(x, 4))


def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] + 1


x = jnp.arange(15.0).reshape(5, 3)
print(pl.pallas_call(
    kernel,
    grid=(3, 2),
    in_specs=[pl.BlockSpec((2, 2), lambda i, j: (i, j))],
    out_specs=pl.BlockSpec((2, 2), lambda i, j: (i, j)),
    out_shape=x,
    interpret=True,
)(x))

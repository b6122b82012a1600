"""Index maps that leave the array: interpret mode clamps to the last block or wraps."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy(x_ref, o_ref):
  o_ref[...] = x_ref[...]


def run(index_map, size=8):
  x = jnp.arange(size)
  return pl.pallas_call(
      copy,
      grid=(4,),
      in_specs=[pl.BlockSpec((2,), index_map)],
      out_specs=pl.BlockSpec((2,), lambda i: (i,)),
      out_shape=jax.ShapeDtypeStruct((8,), jnp.int32),
      interpret=True,
  )(x)


print("i        ", run(lambda i: (i,)))
print("2 * i    ", run(lambda i: (2 * i,)))
print("i + 100  ", run(lambda i: (i + 100,)))
print("i - 1    ", run(lambda i: (i - 1,)))
print("last only", run(lambda i: (3,)))

"""Random numbers: keys outside the kernel, a small generator inside.

JAX's numbers are a function of the key: the same key gives the same numbers on
every machine. A kernel usually gets its noise as an operand; it may also make
its own from a counter, here with a hash of the element's position.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

key = jax.random.key(42)
noise_key, mask_key, order_key = jax.random.split(key, 3)
print("key:", jax.random.key_data(key), "split:", jax.random.key_data(noise_key))
print("uniform:", jax.random.uniform(noise_key, (4,)))
print("again:  ", jax.random.uniform(noise_key, (4,)))
print("dice:   ", jax.random.randint(noise_key, (12,), 1, 7))
print("order:  ", jax.random.permutation(order_key, 8))


def dropout_kernel(x_ref, keep_ref, o_ref, *, rate):
  o_ref[...] = jnp.where(keep_ref[...], x_ref[...] / (1 - rate), 0.0)


def dropout(x: jax.Array, key: jax.Array, rate: float) -> jax.Array:
  keep = jax.random.bernoulli(key, 1 - rate, x.shape)
  spec = pl.BlockSpec((2, x.shape[1]), lambda i: (i, 0))
  return pl.pallas_call(
      lambda *refs: dropout_kernel(*refs, rate=rate),
      grid=(x.shape[0] // 2,),
      in_specs=[spec, spec],
      out_specs=spec,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      interpret=True,
  )(x, keep)


x = jnp.arange(1.0, 33.0).reshape(4, 8)
print("dropout, half of the elements, the rest doubled:")
print(dropout(x, mask_key, 0.5))


# A hash of the position and a seed: the same numbers, however the grid is cut.
def hash_kernel(seed_ref, o_ref):
  i = pl.program_id(0)
  block = o_ref.shape[0]
  h = (i * block + jnp.arange(block)).astype(jnp.uint32) + seed_ref[0] * jnp.uint32(0x9E3779B9)
  h = (h ^ (h >> 16)) * jnp.uint32(0x85EBCA6B)
  h = (h ^ (h >> 13)) * jnp.uint32(0xC2B2AE35)
  o_ref[...] = h ^ (h >> 16)


def hashes(seed: int, size: int, block: int) -> jax.Array:
  return pl.pallas_call(
      hash_kernel,
      grid=(size // block,),
      in_specs=[pl.BlockSpec((1,), lambda i: (0,))],
      out_specs=pl.BlockSpec((block,), lambda i: (i,)),
      out_shape=jax.ShapeDtypeStruct((size,), jnp.uint32),
      interpret=True,
  )(jnp.array([seed], jnp.uint32))


bits = hashes(seed=7, size=4096, block=512)
print("bits:", bits[:4])
np.testing.assert_array_equal(bits, hashes(seed=7, size=4096, block=64))
unit = (bits >> 8).astype(jnp.float32) * 2.0**-24
print(f"as numbers in [0, 1): mean {unit.mean():.3f}, lowest {unit.min():.3f}, highest {unit.max():.3f}")

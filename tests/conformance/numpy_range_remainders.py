"""Remainders of ranges above and below zero, by divisors of both signs."""

import jax.numpy as jnp
import numpy as np

N = 50000


def bits(x):
  """All of an array in two numbers."""
  words = np.asarray(x).view(np.uint32).astype(np.uint64)
  return int(words.sum()), int((words * np.arange(1, words.size + 1, dtype=np.uint64)).sum())


ramp = np.arange(N, dtype=np.float32)
print("scaled", bits(ramp * np.float32(0.37) % 5))
print("shifted", bits((ramp * np.float32(0.37) + 2) % np.float32(0.7)))
print("below zero", bits((ramp - 7) % 5), bits(ramp * np.float32(-0.5) % 5), bits(-ramp % 3))
print("negative divisor", bits(ramp % -5), bits(ramp * np.float32(0.37) % np.float32(-1.1)))
with np.errstate(invalid="ignore", over="ignore"):
  print("too large", np.isnan(ramp * np.float32(1e38) % 5).sum())
print("descending", bits(np.arange(N, 0, -1, dtype=np.float32) % 7))
print("integers", bits(np.arange(N, dtype=np.int32) % 7), bits(np.arange(-9, N, dtype=np.int32) % np.int32(7)))
print("wrapping", bits(np.arange(N, dtype=np.int32) * np.int32(100003) % np.int32(11)))
places = jnp.arange(N, dtype=jnp.float32)
print("jax", bits(places * 0.37 % 5), bits((places - 3) % 5), bits(places % -5))
print("jax integers", bits(jnp.arange(N) % 9), bits((jnp.arange(N) * 100003) % 9))

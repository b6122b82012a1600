"""Arrays of more elements than are computed one operation after the other: with jit and without, to the bit."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

N = 224
numbers = ((np.arange(N * N, dtype=np.float32) * np.float32(0.37)) % 5 - 2.5).reshape(N, N)
x, y = jnp.asarray(numbers), jnp.asarray(numbers[::-1].copy())
places = jnp.asarray((np.arange(N * N, dtype=np.int32) * 7919 % 1000).reshape(N, N))

FUNCTIONS = {
  "product and sum": lambda x, y: x * y + x,
  "exp": lambda x, y: jnp.exp(x) * 2 + 1,
  "gelu": lambda x, y: jax.nn.gelu(x, approximate=False),
  "erf_inv": lambda x, y: lax.erf_inv(x / 3),
  "erfc": lambda x, y: lax.erfc(x * 2),
  "sinh, cosh": lambda x, y: jnp.sinh(x) + jnp.cosh(y),
  "where": lambda x, y: jnp.where(x > y, x * 2, y + 1),
  "remainder": lambda x, y: x % 3.0,
  "extreme": lambda x, y: jnp.abs(x - y).max(),
  "loop": lambda x, y: lax.fori_loop(0, 5, lambda i, a: a * 0.5 + y, x),
  "scan": lambda x, y: lax.scan(lambda c, row: (c + row, c * row), x[0], y)[1],
  "cond": lambda x, y: lax.cond(x[0, 0] > 0, lambda: x * y + 1, lambda: x - y),
  "normal": lambda x, y: jax.random.normal(jax.random.key(3), (N, N)),
  "uniform": lambda x, y: jax.random.uniform(jax.random.key(3), (N, N), minval=-2.0, maxval=3.0),
  "randint": lambda x, y: jax.random.randint(jax.random.key(3), (N, N), 0, 9),
  "integers": lambda x, y: (places * 3 + 7) // 5 % 11,
  "iota": lambda x, y: lax.broadcasted_iota(jnp.int32, (N, N), 0) * 3 - lax.broadcasted_iota(jnp.int32, (N, N), 1),
  "sort": lambda x, y: jnp.sort(x * y, axis=1),
  "argsort": lambda x, y: jnp.argsort(-x, axis=0),
  "top_k": lambda x, y: lax.top_k(jnp.round(x + y), 5)[1],
  "argmax": lambda x, y: jnp.argmax(jnp.round(x * y), axis=0),
  "argmin": lambda x, y: jnp.argmin(jnp.round(x * y), axis=1),
  "tril": lambda x, y: jnp.tril(x),
  "concatenate": lambda x, y: jnp.concatenate([x, y * 2], axis=1),
  "take_along_axis": lambda x, y: jnp.take_along_axis(x, places % N - N // 2, axis=1),
  "scatter": lambda x, y: jnp.zeros(1000).at[places].max(x),
  "counts": lambda x, y: jnp.bincount(places.ravel(), length=1000),
}


def digest(array):
  array = np.asarray(array)
  words = np.where(array == 0, np.float32(0), array).view(np.uint32) if array.dtype == np.float32 else array
  weights = np.arange(1, array.size + 1, dtype=np.uint64) % 1009
  return int((words.astype(np.uint32).astype(np.uint64).ravel() * weights).sum())


for name, function in FUNCTIONS.items():
  print(f"{name}: {digest(jax.jit(function)(x, y))} {digest(function(x, y))}")

joined = np.concatenate([numbers, numbers[::-1]], axis=1)
stacked = np.stack([numbers, numbers.T])
print("numpy:", joined.shape, digest(joined), stacked.shape, digest(stacked), digest(np.array([numbers, numbers * 2])))
print("distinct:", jnp.unique(places % 37).shape, digest(np.unique(numbers, return_counts=True)[1]))
print("counts:", digest(np.bincount(np.asarray(places).ravel())), "sums:", round(float(x.sum()), 1), round(float(jnp.sum(x * y, axis=(0, 1))), 0))

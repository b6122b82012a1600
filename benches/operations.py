"""Single operations on whole arrays, as kernels' callers use them: the median time of each under `jit`, in milliseconds.

`python operations.py [small] [NAMES]`, or `pallas-tui run`; two listings stand side by side with `paste`. Arrays have a million
elements (`small`: few), those of names that begin with `large` sixteen million.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

SMALL = "small" in sys.argv


def arrays(n):
  """By name: floats of both signs, positive ones, what they become in other types, and indices."""
  count = np.arange(n * n)
  floats = jnp.asarray((count * 37 % 1001).reshape(n, n) / 100 - 5, jnp.float32)
  bytes_ = jnp.asarray((count * 37 % 255 - 127).reshape(n, n), jnp.int8)
  return {
      "f": floats, "p": jnp.abs(floats) + 0.1, "b": floats.astype(jnp.bfloat16), "e4": floats.astype(jnp.float8_e4m3fn),
      "e5": floats.astype(jnp.float8_e5m2), "i8": bytes_, "i": jnp.asarray((count * 7919 % n).reshape(n, n), jnp.int32),
  }


OPERATIONS = {
    "int8 @ int8": lambda a: jnp.dot(a["i8"], a["i8"], preferred_element_type=jnp.int32),
    "int8 @ int8.T": lambda a: jax.lax.dot_general(a["i8"], a["i8"], (((1,), (1,)), ((), ())),
                                                   preferred_element_type=jnp.int32),
    "float8 @ float8": lambda a: jnp.dot(a["e4"], a["e4"], preferred_element_type=jnp.float32),
    "float8_e4m3fn to float32": lambda a: a["e4"].astype(jnp.float32),
    "float8_e4m3fn to bfloat16": lambda a: a["e4"].astype(jnp.bfloat16),
    "float32 to float8_e4m3fn": lambda a: a["f"].astype(jnp.float8_e4m3fn),
    "float32 to float8_e5m2": lambda a: a["f"].astype(jnp.float8_e5m2),
    "bfloat16 to float8_e4m3fn": lambda a: a["b"].astype(jnp.float8_e4m3fn),
    "take, rows": lambda a: jnp.take(a["f"], a["i"][0], 0),
    "take, columns": lambda a: jnp.take(a["f"], a["i"][0], 1),
    "take_along_axis, rows": lambda a: jnp.take_along_axis(a["f"], a["i"], 0),
    "take_along_axis, columns": lambda a: jnp.take_along_axis(a["f"], a["i"], 1),
    "x.at[rows].set": lambda a: a["f"].at[a["i"][0]].set(a["f"]),
    "prod, axis 0": lambda a: jnp.prod(a["p"], axis=0),
    "prod, axis 1": lambda a: jnp.prod(a["p"], axis=1),
    "cumsum, axis 0": lambda a: jnp.cumsum(a["f"], axis=0),
    "cumsum, axis 1": lambda a: jnp.cumsum(a["f"], axis=1),
    "transpose": lambda a: a["f"].T.copy(),
    "lgamma": lambda a: jax.lax.lgamma(a["p"]),
    "digamma": lambda a: jax.lax.digamma(a["p"]),
    "sort": lambda a: jnp.sort(a["f"], axis=1),
    "large transpose": lambda a: a["f"].T.copy(),
    "large transpose, bfloat16": lambda a: a["b"].T.copy(),
    "large sum": lambda a: jnp.sum(a["f"]),
    "large sum, axis 0": lambda a: jnp.sum(a["f"], axis=0),
    "large sum, axis 1": lambda a: jnp.sum(a["f"], axis=1),
    "large sum, axis 0, int32": lambda a: jnp.sum(a["i"], axis=0),
    "large sum, axis 1, bfloat16": lambda a: jnp.sum(a["b"], axis=1),
    "large max, axis 0": lambda a: jnp.max(a["f"], axis=0),
    "large var, axis 1": lambda a: jnp.var(a["f"], axis=1),
    "large argmax, axis 0": lambda a: jnp.argmax(a["f"], axis=0),
    "large einsum ij,ij->i": lambda a: jnp.einsum("ij,ij->i", a["f"], a["f"]),
    "large exp": lambda a: jnp.exp(a["f"]),
    "large add": lambda a: a["f"] + a["f"],
}


def main():
  names = [name for name in sys.argv[1:] if name != "small"] or list(OPERATIONS)
  made = {}
  for name in names:
    size = (32 if SMALL else 4096) if name.startswith("large") else (16 if SMALL else 1024)
    if size not in made:
      made[size] = arrays(size)
    function = jax.jit(OPERATIONS[name])
    times = []
    for _ in range(8):
      start = time.perf_counter()
      jax.block_until_ready(function(made[size]))
      times.append(1000 * (time.perf_counter() - start))
    # The first one traces and compiles.
    print(f"{name:32} {sorted(times[1:])[3]:9.3f}")


main()

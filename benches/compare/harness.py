"""What the programs of this folder share: sizes, checks, and the time of a warm launch.

`python PROGRAM.py launch|jnp|numpy|check [small] [rounds]`: the kernel under interpret mode, the same computation as plain
`jax.numpy` under `jit`, and as numpy; `check` compares the three. What was measured goes out as one line of milliseconds, and
what there was to do as another: bytes that come in and go out at least once, and multiplications and additions of products.
"""

import sys
import time

import jax
import numpy as np


def values(shape, dtype=np.float32, step=0.37):
  """Numbers between -2.5 and 2.5 that look irregular and cost nothing to make."""
  size = int(np.prod(shape))
  return jax.numpy.asarray((np.arange(size, dtype=np.float32) * np.float32(step) % 5 - 2.5).reshape(shape), dtype)


def main(inputs, launch, reference, in_numpy=None, tolerance=1e-4, operations=None):
  """`inputs(small)` makes the arguments of the others; `operations` says of them how much there is to multiply and add."""
  what = sys.argv[1] if len(sys.argv) > 1 else "check"
  small = "small" in sys.argv
  rounds = int(sys.argv[-1]) if sys.argv[-1].isdigit() else 5
  arguments = inputs(small)
  if what == "check":
    expected = np.asarray(jax.jit(reference)(*arguments), np.float32)
    np.testing.assert_allclose(np.asarray(launch(*arguments), np.float32), expected, rtol=tolerance, atol=tolerance)
    if in_numpy is not None:
      as_numpy = np.asarray(in_numpy(*[np.asarray(a) for a in arguments]), np.float32)
      np.testing.assert_allclose(as_numpy, expected, rtol=tolerance, atol=tolerance)
    print("equal")
    return
  if what == "numpy" and in_numpy is None:
    return
  if what == "numpy":
    function, arguments = in_numpy, [np.asarray(a) for a in arguments]
  else:
    function = jax.jit(launch if what == "launch" else reference)
  times = []
  for _ in range(rounds + 1):
    start = time.perf_counter()
    result = function(*arguments)
    if what != "numpy":
      jax.block_until_ready(result)
    times.append(1000 * (time.perf_counter() - start))
  # The first round traces and compiles.
  print("ms", *[f"{t:.4f}" for t in times[1:]])
  print("work", sum(x.nbytes for x in (*arguments, result)), operations(*arguments) if operations else 0)

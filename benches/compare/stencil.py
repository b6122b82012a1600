"""Seven points of a 3-D grid of 256 x 256 x 256 numbers: planes come as blocks, three at a time."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

from harness import main, values


def inputs(small):
  n = 32 if small else 256
  return (values((n, n, n)),)


def kernel(below_ref, x_ref, above_ref, o_ref):
  x = x_ref[...]
  inner = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
           + below_ref[1:-1, 1:-1] + above_ref[1:-1, 1:-1] - 6.0 * x[1:-1, 1:-1])
  o_ref[...] = x
  o_ref[1:-1, 1:-1] = x[1:-1, 1:-1] + 0.1 * inner


def launch(x):
  n = x.shape[0]
  plane = lambda offset: pl.BlockSpec((None, n, n), lambda i: (i + offset, 0, 0))
  return pl.pallas_call(
      kernel, grid=(n - 2,), in_specs=[plane(0), plane(1), plane(2)], out_specs=plane(0),
      out_shape=jax.ShapeDtypeStruct((n - 2, n, n), x.dtype), interpret=True)(x, x, x)


def stencil(x, np=jnp):
  middle = x[1:-1]
  inner = (middle[:, :-2, 1:-1] + middle[:, 2:, 1:-1] + middle[:, 1:-1, :-2] + middle[:, 1:-1, 2:]
           + x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1] - 6.0 * middle[:, 1:-1, 1:-1])
  centre = middle[:, 1:-1, 1:-1] + 0.1 * inner
  if np is jnp:
    return middle.at[:, 1:-1, 1:-1].set(centre)
  result = middle.copy()
  result[:, 1:-1, 1:-1] = centre
  return result


main(inputs, launch, stencil, lambda x: stencil(x, np))

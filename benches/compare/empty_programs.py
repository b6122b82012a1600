"""A million programs that do nothing: what a program costs by itself."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from harness import main, values


def inputs(small):
  return (values((8, 128)), 1000 if small else 1_000_000)


def launch(x, programs):
  return pl.pallas_call(
      lambda x_ref, o_ref: None, grid=(programs,), in_specs=[pl.BlockSpec((8, 128), lambda i: (0, 0))],
      out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)), input_output_aliases={0: 0},
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


if __name__ == "__main__":
  import functools
  arguments = inputs("small" in __import__("sys").argv)
  main(lambda small: arguments[:1], functools.partial(launch, programs=arguments[1]), lambda x: x)

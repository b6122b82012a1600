"""Softmax of the rows of a 4096 x 4096 matrix."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

from harness import main, values


def inputs(small):
  return (values((64 if small else 4096, 4096)),)


def softmax(x, np=jnp):
  e = np.exp(x - np.max(x, axis=1, keepdims=True))
  return e / np.sum(e, axis=1, keepdims=True)


def kernel(x_ref, o_ref):
  o_ref[...] = softmax(x_ref[...])


def launch(x):
  block = pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0))
  return pl.pallas_call(
      kernel, grid=(x.shape[0] // 8,), in_specs=[block], out_specs=block,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


main(inputs, launch, softmax, lambda x: softmax(x, np))

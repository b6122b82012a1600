"""Names that comments may use that say what a function is called with: `# pallas: call(x=f32[8, 128])`."""

import jax
from jax import numpy as jnp


class Kind:
  """A dtype that makes types of arrays: `f32[8, 128]`, and `f32[()]` of a scalar."""

  def __init__(self, dtype):
    self.dtype = dtype

  def __getitem__(self, dims):
    return jax.ShapeDtypeStruct(dims if isinstance(dims, tuple) else (dims,), self.dtype)


def call(*args, **kwargs):
  return args, kwargs


def kinds(names):
  return {short: Kind(jnp.dtype(name)) for short, name in names}

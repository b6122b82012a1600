"""Names that comments may use that say what a function is called with: `# pallas: call(x=f32[8, 128])`; and what decorators of tests
say of that."""

import jax
from jax import numpy as jnp


class Kind:
  """A dtype that makes types of arrays: `f32[8, 128]`, and `f32[()]` of a scalar."""

  def __init__(self, dtype):
    self.dtype = dtype

  def __getitem__(self, dims):
    return jax.ShapeDtypeStruct(dims if isinstance(dims, tuple) else (dims,), self.dtype)


def call(*args, **kwargs):
  return [(args, kwargs)]


MOST_CASES = 3


def cases(*marks):
  """The first calls of a test that has parameters; all of those have their first values in the first, their second in the second."""
  marks = [_values(**each) for each in marks]
  count = min(max(len(each) for each in marks), MOST_CASES) if all(marks) else 0
  chosen = ([each[min(at, len(each) - 1)] for each in marks] for at in range(count))
  return [((), {name: value for mark in each for name, value in mark.items()}) for each in chosen]


def _values(argnames, argvalues):
  names = argnames.split(",") if isinstance(argnames, str) else argnames
  names = [each.strip() for each in names if each.strip()]
  found = []
  for each in argvalues:
    is_set = type(each).__name__ == "ParameterSet"
    # What is skipped, or fails, is not what a kernel is for.
    if not (is_set and each.marks):
      found.append(dict(zip(names, each)) if is_set or len(names) > 1 else {names[0]: each})
  return found


def kinds(names):
  return {short: Kind(jnp.dtype(name)) for short, name in names}

"""The gradient of whatever a function gives, with respect to whatever floats it takes: reaches the functions of a custom
rule that only differentiation calls."""

import jax
from jax import numpy as jnp


def gradient(f, args, kwargs):
  is_float = lambda a: hasattr(a, "dtype") and jnp.issubdtype(a.dtype, jnp.floating)
  floats = [i for i, a in enumerate(args) if is_float(a)]

  def total(*some):
    given = list(args)
    for i, a in zip(floats, some):
      given[i] = a
    leaves = jax.tree.leaves(f(*given, **kwargs))
    return sum(leaf.astype(jnp.float32).sum() for leaf in leaves if is_float(leaf))

  return jax.grad(total, tuple(range(len(floats))))(*[args[i] for i in floats])

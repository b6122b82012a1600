"""Errors of jit: unhashable static arguments, non-array arguments, wrong names."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("shape",))
def make(x, shape):
  return jnp.zeros(shape) + x


@jax.jit
def plain(x, label):
  return x


def case(name, function):
  try:
    print(name, function())
  except Exception as error:
    print(name, type(error).__name__)


case("tuple", lambda: make(1.0, shape=(2,)))
case("list", lambda: make(1.0, shape=[2]))
case("array", lambda: make(1.0, shape=jnp.array([2])))
case("string argument", lambda: plain(1.0, "a"))
case("none argument", lambda: plain(1.0, None))
case("function argument", lambda: plain(1.0, len))
case("missing", lambda: plain(1.0))
case("returns a string", lambda: jax.jit(lambda: "a")())
case("returns None", lambda: jax.jit(lambda: None)())

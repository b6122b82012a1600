"""Using traced values as Python values: in if, while, int, range, shapes, indices."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def case(name, function, *args):
  try:
    jax.jit(function)(*args)
    print(name, "no error")
  except Exception as error:
    print(name, type(error).__name__, isinstance(error, TypeError))


def branch(x):
  if x > 0:
    return x
  return -x


def loop(x):
  while x < 10:
    x = x + 1
  return x


case("if", branch, 1)
case("while", loop, 1)
case("int", lambda x: int(x), 1)
case("float", lambda x: float(x), 1.0)
case("bool", lambda x: bool(x), True)
case("range", lambda n: jnp.array([i for i in range(n)]), 3)
case("shape", lambda n: jnp.zeros(n), 3)
case("list index", lambda i: [1, 2, 3][i], 1)
case("and", lambda x: x > 0 and x < 5, 1)
case("not", lambda x: not x, True)
case("item", lambda x: x.item(), 1)
case("mask", lambda x: x[x > 1], jnp.arange(3))
case("nonzero", lambda x: jnp.nonzero(x), jnp.arange(3))
case("reshape", lambda x, n: x.reshape(n), jnp.arange(3), 3)
case("slice", lambda x, n: x[:n], jnp.arange(3), 2)
case("in", lambda x: x in (1, 2), 3)
case("iterate", lambda x: sum(v for v in x), jnp.arange(3))
case("tolist", lambda x: x.tolist(), jnp.arange(3))


def kernel(x_ref, o_ref):
  if pl.program_id(0) == 0:
    o_ref[...] = x_ref[...]


try:
  pl.pallas_call(kernel, grid=(2,), out_shape=jnp.zeros(2), interpret=True)(jnp.ones(2))
except jax.errors.TracerBoolConversionError as error:
  print("kernel", type(error).__name__, str(error).splitlines()[0].split(".")[0])
try:
  jax.jit(lambda x: int(x))(1)
except jax.errors.ConcretizationTypeError as error:
  print(type(error).__name__, issubclass(jax.errors.TracerIntegerConversionError, TypeError))
leaked = []
jax.jit(lambda x: leaked.append(x))(1)
try:
  leaked[0] + 1
except jax.errors.UnexpectedTracerError as error:
  print(type(error).__name__)

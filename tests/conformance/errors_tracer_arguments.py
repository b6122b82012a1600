"""Errors of traced values say which arguments a value depends on."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl


def case(name, function):
  try:
    function()
  except Exception as error:
    # Where the function stands is a path on some machine.
    lines = str(error).split("\n")
    shown = [line.split(" at ")[0] + " ... " + line.partition(" for ")[2] if " at " in line else line for line in lines]
    print(name, type(error).__name__, "\n".join(shown))


def kernel_case(name, kernel, *operands):
  call = pl.pallas_call(kernel, grid=(1,), out_shape=operands[0], interpret=True)
  case(name, lambda: call(*operands))


x = jnp.arange(16.0).reshape(4, 4)


def branch(x_ref, o_ref):
  if x_ref[0, 0] > 0:
    o_ref[...] = x_ref[...]


def both(x_ref, y_ref, o_ref):
  if x_ref[0, 0] + y_ref[0, 0] > 0:
    o_ref[...] = x_ref[...]


def program(x_ref, o_ref):
  if pl.program_id(0):
    o_ref[...] = x_ref[...]


kernel_case("branch", branch, x)
kernel_case("both", both, x, x)
kernel_case("program id", program, x)
kernel_case("float", lambda x_ref, o_ref: float(x_ref[0, 0]), x)
kernel_case("int", lambda x_ref, o_ref: int(x_ref[0, 0]), x)
kernel_case("range", lambda x_ref, o_ref: range(x_ref[0, 0].astype(int)), x)
kernel_case("numpy", lambda x_ref, o_ref: np.asarray(x_ref[...]), x)
kernel_case("item", lambda x_ref, o_ref: x_ref[...].item(), x)

case("jit", lambda: jax.jit(lambda x: 1 if x else 2)(3.0))
case("three", lambda: jax.jit(lambda a, b, c: float(a + b * c))(1.0, 2.0, 3.0))
case("in a tree", lambda: jax.jit(lambda x, *rest: [1, 2][rest[0]["q"]])(1, {"q": 1}))
case("loop result", lambda: jax.jit(lambda x, n: int(jax.lax.fori_loop(0, 3, lambda i, c: c + x, 0)))(1, 2))
case("eval_shape", lambda: jax.eval_shape(lambda width: int(width), 1.0))

"""Mistakes with Refs: iteration, comparison, stores of other shapes, and a function under pl.when that returns."""
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.arange(16.0).reshape(4, 4)


def case(name, body):
  def kernel(x_ref, o_ref):
    body(x_ref, o_ref)

  try:
    pl.pallas_call(kernel, out_shape=x, grid=(1,), interpret=True)(x)
  except Exception as error:
    # Where functions stand is a path on some machine.
    print(name, type(error).__name__, "\n".join(line.split(" at ")[0] for line in str(error).split("\n") if "helpers" not in line))


def store(index):
  def body(x_ref, o_ref):
    o_ref[index() if callable(index) else index] = jnp.ones((3, 3, 3))

  return body


def returns(x_ref, o_ref):
  @pl.when(x_ref[0, 0] == 0)
  def answer():
    return 3


case("iterate", lambda x_ref, o_ref: [row for row in x_ref])
case("unpack", lambda x_ref, o_ref: jnp.stack([*x_ref]))
case("greater", lambda x_ref, o_ref: jnp.where(x_ref > 0, 1, 0))
case("less", lambda x_ref, o_ref: x_ref <= x_ref)
case("sum", lambda x_ref, o_ref: x_ref.sum())
case("astype", lambda x_ref, o_ref: x_ref.astype(jnp.int32))
case("when returns", returns)
case("too many", lambda x_ref, o_ref: x_ref[0, 1, 2])
case("backwards", lambda x_ref, o_ref: x_ref[::-1])
case("store", store(...))
case("store row", store(0))
case("store part", store((0, slice(1, 3))))
case("store slice", store(pl.ds(1, 2)))
case("store at program", store(lambda: (pl.program_id(0), 1)))
case("store from program", store(lambda: pl.ds(pl.program_id(0), 2)))
case("store rows", store(lambda: jnp.arange(2) + pl.program_id(0)))

"""pallas_call and kernel that do not fit: arity, specs, returned values, shapes, axes."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.arange(8.0)
block = pl.BlockSpec((2,), lambda i: (i,))


def copy(x_ref, o_ref):
  o_ref[...] = x_ref[...]


def one_ref(o_ref):
  o_ref[...] = 0


def three(x_ref, y_ref, o_ref):
  o_ref[...] = x_ref[...] + y_ref[...]


def returns(x_ref, o_ref):
  o_ref[...] = x_ref[...]
  return x_ref[...]


def wrong_store(x_ref, o_ref):
  o_ref[...] = jnp.ones((3,))


def wrong_axis(x_ref, o_ref):
  o_ref[...] = x_ref[...] + pl.program_id(3)


def no_attribute(x_ref, o_ref):
  o_ref[...] = pl.programid(0)


def too_many_indices(x_ref, o_ref):
  o_ref[0] = x_ref[0, 0]


def static_index(x_ref, o_ref):
  o_ref[0] = x_ref[9, 9, 9]


def captured(x_ref, o_ref):
  o_ref[...] = x_ref[...] + jnp.array([1.0, 2.0])


def ref_arithmetic(x_ref, o_ref):
  o_ref[...] = x_ref + 1


def ref_function(x_ref, o_ref):
  o_ref[...] = jnp.exp(x_ref)


def case(name, kernel, *args, grid=(4,), in_specs=(block,), out_specs=block, **kwargs):
  try:
    pl.pallas_call(kernel, grid=grid, in_specs=list(in_specs), out_specs=out_specs,
                   out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), interpret=True, **kwargs)(*(args or (x,)))
    print(name, "no error")
  except Exception as error:
    print(name, type(error).__name__)


case("right", copy)
case("kernel takes one", one_ref)
case("kernel takes three", three)
case("returns a value", returns)
case("store of a wrong shape", wrong_store)
case("axis 3 of a grid of one", wrong_axis)
case("unknown attribute", no_attribute)
case("too many indices", too_many_indices)
case("three indices", static_index)
case("captured constant", captured)
case("arithmetic on a Ref", ref_arithmetic)
case("function of a Ref", ref_function)
case("too many arguments", copy, x, x)
case("too few arguments", three)
case("too many specs", copy, in_specs=(block, block))
case("index map takes two", copy, in_specs=(pl.BlockSpec((2,), lambda i, j: (i,)),))
case("index map returns two", copy, in_specs=(pl.BlockSpec((2,), lambda i: (i, 0)),))
case("index map returns a float", copy, in_specs=(pl.BlockSpec((2,), lambda i: (i * 0.5,)),))
case("index map returns None", copy, in_specs=(pl.BlockSpec((2,), lambda i: None),))
case("block rank", copy, in_specs=(pl.BlockSpec((2, 2), lambda i: (i, 0)),))
case("index map raises", copy, in_specs=(pl.BlockSpec((2,), lambda i: ([][1],)),))
case("out specs list", copy, out_specs=[block, block])
case("unknown keyword", copy, grids=(4,))
try:
  pl.pallas_call(returns, out_shape=x, interpret=True)(x)
except ValueError as error:
  print(str(error).splitlines()[0].split(" at ")[0])
try:
  pl.pallas_call(no_attribute, out_shape=x, interpret=True)(x)
except AttributeError as error:
  print(error)
try:
  pl.pallas_call(lambda x_ref, o_ref: None, out_shape=x, input_output_aliases=[(0, 0)], interpret=True)(x)
except AttributeError as error:
  print(error)

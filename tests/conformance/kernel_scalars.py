"""Scalars in kernels: operands of rank 0, Python scalars as arguments, one element by one."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def axpy(a_ref, x_ref, o_ref):
  o_ref[...] = a_ref[...] * x_ref[...]


x = jnp.arange(4.0)
out = jax.ShapeDtypeStruct((4,), jnp.float32)
print(pl.pallas_call(axpy, out_shape=out, interpret=True)(jnp.float32(2.5), x))


def elementwise(a_ref, x_ref, o_ref):
  i = pl.program_id(0)
  o_ref[i] = a_ref[0] + x_ref[i] * i


print(pl.pallas_call(elementwise, grid=(4,), out_shape=out, interpret=True)(jnp.array([0.5]), x))


def zero(o_ref):
  o_ref[...] = jnp.float32(3) + 0.5


result = pl.pallas_call(zero, out_shape=jax.ShapeDtypeStruct((), jnp.float32), interpret=True)()
print(repr(result), result.shape, float(result))


def types(x_ref, o_ref):
  value = x_ref[0]
  print(value.shape, value.dtype, (value * 2).dtype, (value + 1.5).dtype, (value > 0).dtype, (value * jnp.int32(2)).dtype, pl.program_id(0).dtype)
  o_ref[0] = value


for dtype in (jnp.bfloat16, jnp.int8):
  pl.pallas_call(types, grid=(1,), out_shape=jax.ShapeDtypeStruct((1,), dtype), interpret=True)(jnp.ones(1, dtype))

"""pl.ds and pl.dslice: static and traced starts, strides, and both on one Ref."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def static(x_ref, o_ref):
  o_ref[...] = x_ref[pl.ds(2, 4), pl.dslice(1, 3)]


def traced(x_ref, o_ref):
  i = pl.program_id(0)
  o_ref[pl.ds(i * 2, 2), :] = x_ref[pl.ds((3 - i) * 2, 2), pl.ds(i, 3)]


def strided(x_ref, o_ref):
  o_ref[...] = x_ref[pl.ds(1, 3, stride=2), pl.ds(0, 2, 2)]


def in_loop(x_ref, o_ref):
  def body(i, total):
    return total + x_ref[pl.ds(i * 2, 2), :]
  o_ref[...] = lax.fori_loop(0, 4, body, jnp.zeros((2, 4), jnp.int32))


def whole(x_ref, o_ref):
  o_ref[...] = x_ref[pl.dslice(4), pl.dslice(None)]


x = jnp.arange(32).reshape(8, 4)
for kernel, shape, grid in ((static, (4, 3), (1,)), (strided, (3, 2), (1,)), (in_loop, (2, 4), (1,))):
  out = jax.ShapeDtypeStruct(shape, x.dtype)
  print(kernel.__name__, pl.pallas_call(kernel, out_shape=out, grid=grid, interpret=True)(x), sep="\n")
wide = jnp.arange(64).reshape(8, 8)
print(pl.pallas_call(traced, out_shape=jax.ShapeDtypeStruct((8, 3), jnp.int32), grid=(4,), interpret=True)(wide))
print(pl.pallas_call(whole, out_shape=jax.ShapeDtypeStruct((4, 4), jnp.int32), interpret=True)(x))
print(pl.ds(2, 4), pl.ds(0, 3, 2).size, pl.dslice(5).start)

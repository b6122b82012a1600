"""scratch_shapes: one, several, named in a dictionary, kept from program to program."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

out = jax.ShapeDtypeStruct((4,), jnp.int32)


def fibonacci(o_ref, a_ref, b_ref):
  i = pl.program_id(0)

  @pl.when(i == 0)
  def _():
    a_ref[0] = 1
    b_ref[0] = 1

  o_ref[i] = a_ref[0]
  a, b = a_ref[0], b_ref[0]
  a_ref[0] = b
  b_ref[0] = a + b


print(pl.pallas_call(fibonacci, grid=(4,), out_shape=out,
                     scratch_shapes=[pltpu.VMEM((1,), jnp.int32), pltpu.SMEM((1,), jnp.int32)],
                     interpret=True)())


def named(x_ref, o_ref, *, acc):
  acc[...] = x_ref[...].astype(jnp.float32)
  acc[...] += 0.5
  o_ref[...] = (acc[...] * 2).astype(jnp.int32)
  print(acc.shape, acc.dtype)


print(pl.pallas_call(named, out_shape=out, scratch_shapes={"acc": pltpu.VMEM((4,), jnp.float32)},
                     interpret=True)(jnp.arange(4)))


def nested(x_ref, o_ref, scratch):
  first, (second, third) = scratch
  first[...] = x_ref[...] + 1
  second[...] = first[...] * 2
  third[...] = second[...] * 2
  o_ref[...] = third[...]


buffer = pltpu.VMEM((4,), jnp.int32)
print(pl.pallas_call(nested, out_shape=out, scratch_shapes=[(buffer, [buffer, buffer])], interpret=True)(jnp.arange(4)))


def fresh(o_ref, s_ref):
  o_ref[...] = jnp.isnan(s_ref[...]).astype(jnp.int32)


print(pl.pallas_call(fresh, out_shape=out, scratch_shapes=[pltpu.VMEM((4,), jnp.float32)], interpret=True)())


def generic(x_ref, o_ref, s_ref):
  s_ref[...] = x_ref[...][::-1]
  o_ref[...] = s_ref[...]


print(pl.pallas_call(generic, out_shape=out, scratch_shapes=[pl.MemoryRef(jax.core.ShapedArray((4,), jnp.int32), pl.ANY)],
                     interpret=True)(jnp.arange(4)))

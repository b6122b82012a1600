"""pl.cdiv, next_power_of_2, multiple_of, align_to, strides_from_shape and friends."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

print([pl.cdiv(n, 4) for n in (0, 1, 4, 5, 100)], [pl.next_power_of_2(n) for n in (1, 2, 3, 5, 64, 65, 1000)])
print(pl.strides_from_shape((2, 3, 4)), pl.align_to(10, 8), type(pl.cdiv(5, 2)).__name__)


def kernel(x_ref, o_ref):
  i = pl.program_id(0)
  start = pl.multiple_of(i * 4, 4)
  o_ref[pl.ds(start, 4)] = x_ref[pl.ds(start, 4)] + pl.cdiv(i + 1, 2)
  o_ref[0] = 5 if pl.num_programs(0) == 2 else 6


x = jnp.arange(8)
print(pl.pallas_call(kernel, grid=(2,), out_shape=x, interpret=True)(x))
try:
  pl.next_power_of_2(-1)
except ValueError as error:
  print("ValueError")


def repeated(x_ref, o_ref):
  with pl.enable_debug_checks(new_val=False):
    o_ref[...] = pl.broadcast_to(a=x_ref[...], shape=(2, 8))


print(pl.pallas_call(repeated, out_shape=jax.ShapeDtypeStruct((2, 8), jnp.int32), interpret=True)(x))

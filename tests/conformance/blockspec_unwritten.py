"""What an output holds where no program wrote: NaN or the smallest integer."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def nothing(o_ref):
  pass


def some(o_ref):
  o_ref[pl.program_id(0) * 2] = jnp.ones((), o_ref.dtype)


for dtype in (jnp.float32, jnp.bfloat16, jnp.int32, jnp.int8, jnp.uint32, jnp.bool_):
  out = jax.ShapeDtypeStruct((4,), dtype)
  print(f"{jnp.dtype(dtype).name:9}",
        pl.pallas_call(nothing, out_shape=out, interpret=True)(),
        pl.pallas_call(some, out_shape=out, grid=(2,), interpret=True)())

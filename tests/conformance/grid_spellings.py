"""A grid given as an integer, a tuple, an empty tuple, in a GridSpec or not at all."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(o_ref):
  o_ref[pl.program_id(0)] = 7 + pl.program_id(0) + 10 * pl.num_programs(0)


def once(o_ref):
  o_ref[...] = jnp.arange(3)


out = jax.ShapeDtypeStruct((3,), jnp.int32)
print(pl.pallas_call(kernel, out_shape=out, grid=3, interpret=True)())
print(pl.pallas_call(kernel, out_shape=out, grid=(3,), interpret=True)())
print(pl.pallas_call(kernel, out_shape=out, grid=[3], interpret=True)())
print(pl.pallas_call(once, out_shape=out, grid=(), interpret=True)())
print(pl.pallas_call(once, out_shape=out, interpret=True)())
print(pl.pallas_call(kernel, out, grid_spec=pl.GridSpec(grid=(3,)), interpret=True)())


def block(x_ref, o_ref):
  o_ref[...] = x_ref[...] * (1 + pl.program_id(0))


spec = pl.GridSpec(
    grid=(2,),
    in_specs=[pl.BlockSpec((3,), lambda i: (1 - i,))],
    out_specs=pl.BlockSpec((3,), lambda i: (i,)),
)
x = jnp.arange(6)
print(pl.pallas_call(block, out_shape=x, grid_spec=spec, interpret=True)(x))
print(spec.grid, len(spec.in_specs))

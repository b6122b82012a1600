"""input_output_aliases: an output that starts as an input."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_in_place(x_ref, o_ref):
  o_ref[...] = o_ref[...] + 10


def some_rows(x_ref, y_ref, o_ref):
  o_ref[0] = x_ref[0]


x = jnp.arange(6)
print(pl.pallas_call(add_in_place, out_shape=x, input_output_aliases={0: 0}, interpret=True)(x))
print("x is unchanged:", x)

y = jnp.full((6,), -1)
print(pl.pallas_call(some_rows, out_shape=y, input_output_aliases={1: 0}, interpret=True)(x + 7, y))

blocked = pl.pallas_call(
    lambda x_ref, o_ref: o_ref.__setitem__(0, x_ref[1]),
    grid=(3,),
    in_specs=[pl.BlockSpec((2,), lambda i: (i,))],
    out_specs=pl.BlockSpec((2,), lambda i: (i,)),
    out_shape=x,
    input_output_aliases={0: 0},
    interpret=True,
)
print(blocked(x))

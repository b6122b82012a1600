# A kernel that updates part of an array in place, and leaves the rest alone.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def first_block(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1.0


def nothing(x_ref, o_ref):
    pass


x = jnp.arange(128.0)
spec = pl.BlockSpec((32,), lambda i: (i,))
print(pl.pallas_call(first_block, grid=(1,), out_shape=x, in_specs=[spec], out_specs=spec,
                     input_output_aliases={0: 0}, interpret=True)(x).sum())
print(pl.pallas_call(nothing, out_shape=x, input_output_aliases={0: 0}, interpret=True)(x).sum())

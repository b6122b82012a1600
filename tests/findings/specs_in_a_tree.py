# Specs nested like their operands.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add(pair, o_ref):
    o_ref[...] = pair["x"][...] + pair["y"][...]


x = jnp.arange(128.0)
spec = pl.BlockSpec((32,), lambda i: (i,))
print(pl.pallas_call(add, grid=(4,), in_specs=[{"x": spec, "y": spec}], out_specs=spec, out_shape=x,
                     interpret=True)({"x": x, "y": x}))

# Masked loads and stores reach past the end on purpose.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def add(x_ref, o_ref):
    i = pl.program_id(0)
    at = pl.ds(i * 32, 32)
    mask = i * 32 + jnp.arange(32) < 100
    x = plgpu.load(x_ref.at[at], mask=mask, other=0.0)
    plgpu.store(o_ref.at[at], x + 1.0, mask=mask)


x = jnp.arange(100.0)
whole = pl.BlockSpec(memory_space=pl.ANY)
print(pl.pallas_call(add, grid=(4,), out_shape=x, in_specs=[whole], out_specs=whole, interpret=True)(x).shape)

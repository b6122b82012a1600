# Slices that JAX takes: within their Ref, from 0 on, of Python's, and with a start that is known only when the kernel runs.
# jax: runs
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def shifted(x_ref, o_ref):
    lanes = jnp.arange(8)
    tail = plgpu.load(x_ref.at[pl.ds(pl.program_id(0) + 3, 8)], mask=lanes + 3 < 8, other=0.0)
    wide = plgpu.load(x_ref.at[pl.ds(0, 16)], mask=jnp.arange(16) < 8, other=0.0)
    array = plgpu.load(x_ref.at[pl.ds(jnp.int32(3), 8)], mask=lanes + 3 < 8, other=0.0)
    inside = x_ref[pl.ds(np.int32(3), 5)].sum() + x_ref[pl.ds(1, 4, 2)].sum() + x_ref[3:20].sum()
    o_ref[...] = tail + wide[:8] + array + inside


x = jnp.arange(8.0)
print(pl.pallas_call(shifted, grid=(1,), out_shape=x, interpret=True)(x))

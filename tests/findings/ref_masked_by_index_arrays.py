# Rows of a softmax that is wider than its array, masked.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def softmax(x_ref, o_ref):
    i = pl.program_id(0)
    columns = jnp.arange(128)
    mask = columns < x_ref.shape[1]
    row = plgpu.load(x_ref.at[i, pl.ds(0, 128)], mask=mask, other=-float("inf"))
    row = jnp.exp(row - jnp.max(row))
    plgpu.store(o_ref.at[i, pl.ds(0, 128)], row / jnp.sum(row), mask=mask)


x = jnp.ones((4, 100))
print(pl.pallas_call(softmax, grid=(4,), out_shape=x, interpret=True)(x).shape)

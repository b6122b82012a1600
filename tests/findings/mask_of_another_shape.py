# A mask that is too short.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def kernel(x_ref, o_ref):
    mask = jnp.arange(16) < 5
    o_ref[...] = plgpu.load(x_ref.at[pl.ds(0, 32)], mask=mask)
#                ^ PL311 error "mask"


x = jnp.arange(32.0)
pl.pallas_call(kernel, out_shape=x, interpret=True)(x)

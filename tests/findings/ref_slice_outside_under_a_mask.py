# A slice whose start is a number is looked at when the kernel is traced: that a mask leaves out its last elements comes too late.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def shifted(x_ref, o_ref):
    lanes = jnp.arange(8)
    o_ref[...] = plgpu.load(x_ref.at[pl.ds(3, 8)], mask=lanes + 3 < 8, other=0.0)
#                           ^ PL201 error "elements 3 to 10 of a dimension of 8"


x = jnp.arange(8.0)
print(pl.pallas_call(shifted, out_shape=x, interpret=True)(x))

# Python numbers, and tables that the kernel computes.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax import lax

SCALE = 2.0
OFFSETS = (1, 2)


def kernel(x_ref, o_ref):
    columns = lax.broadcasted_iota(jnp.float32, x_ref.shape, 1)
    o_ref[...] = x_ref[...] * SCALE + sum(OFFSETS) + columns


x = jnp.ones((8, 128))
print(pl.pallas_call(kernel, out_shape=x, interpret=True)(x).sum())

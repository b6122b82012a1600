# A simulated core reaches main memory by copies.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def double(x_hbm, o_ref):
    o_ref[...] = x_hbm[...] * 2
#                ^ PL340 error "which a core reaches by copies only"


x = jnp.ones((8, 128))
pl.pallas_call(
    double, in_specs=[pl.BlockSpec(memory_space=pl.ANY)], out_shape=x, interpret=pltpu.InterpretParams()
)(x)

# What is interpreted is not compiled: the parameters of a compiler say nothing then. What Python computes is no kernel's.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.ones((4, 20))


def sums(x_ref, o_ref):
    o_ref[...] = jnp.cumsum(x_ref[...], axis=1)


def scaled(x_ref, o_ref, *, order):
    o_ref[...] = x_ref[...] * order


params = pltpu.CompilerParams(dimension_semantics=())
pl.pallas_call(sums, out_shape=x, interpret=True, compiler_params=params)(x)
with pltpu.force_tpu_interpret_mode():
    pl.pallas_call(sums, out_shape=x, compiler_params=params)(x)
    order = int(jnp.sort(jnp.arange(4))[1])
    pl.pallas_call(lambda x_ref, o_ref: scaled(x_ref, o_ref, order=order), out_shape=x, compiler_params=params)(x)

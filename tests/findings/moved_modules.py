# A module that newer versions of JAX do not have.
# jax: ImportError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import gpu as plgpu
#                                   ^ PL008 info "it is called `jax.experimental.pallas.triton` now"


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((32, 128))
params = plgpu.TritonCompilerParams(num_warps=4)
#        ^ PL008 info "it is called `CompilerParams` now"
pl.pallas_call(copy, out_shape=x, interpret=True, compiler_params=params)(x)

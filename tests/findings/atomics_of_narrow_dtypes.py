# Triton has no atomic updates of some narrow dtypes, nor extremes of float16.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]
    plgpu.atomic_max(o_ref, (slice(None),), x_ref[...])
#   ^ PL304 error "does not support f16"


x = jnp.zeros(32, jnp.float16)
pl.pallas_call(kernel, out_shape=x, compiler_params=plgpu.CompilerParams(), interpret=True)(x)

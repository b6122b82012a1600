# A sweep over sizes at one place: the mistake is said once, not for every size.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def launch(x):
    return pl.pallas_call(kernel, out_shape=x, compiler_params=pltpu.CompilerParams(dimension_semantics=()))(x)
#          ^ PL502 error "this launch needs 256 MiB"


for rows in [8192, 10240, 12288]:
    jax.eval_shape(launch, jax.ShapeDtypeStruct((rows, 4096), jnp.float32))

# `pltpu.roll` is an op of the machine, by any number of places; `jnp.roll` by a number that is not known before is a slice that
# the compiler does not have.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def rolled(n_ref, x_ref, o_ref):
    o_ref[...] = pltpu.roll(x_ref[...], n_ref[0], axis=1)


def sliced(n_ref, x_ref, o_ref):
    o_ref[...] = jnp.roll(x_ref[...], n_ref[0], axis=1)
#                ^ PL504 error "the TPU compiler has no `dynamic_slice`"


def launch(kernel, n, x):
    grid_spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(1,),
        in_specs=[pl.BlockSpec((8, 128), lambda i, n: (0, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i, n: (0, 0)),
    )
    return pl.pallas_call(
        kernel,
        grid_spec=grid_spec,
        out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
    )(n, x)


launch(rolled, jnp.array([3]), jnp.ones((8, 128)))
launch(sliced, jnp.array([3]), jnp.ones((8, 128)))

# As many as the grid has axes; with lanes of `vmap`, which add an axis; and none. Mosaic GPU has another word for what is in order.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu

x = jnp.ones((16, 256))


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x, **params):
    spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
    return pl.pallas_call(
        copy, grid=(2, 2), in_specs=[spec], out_specs=spec, out_shape=jax.ShapeDtypeStruct((16, 256), x.dtype), interpret=True,
        compiler_params=pltpu.CompilerParams(**params),
    )(x)


launch(x)
launch(x, dimension_semantics=("parallel", "arbitrary"))
launch(x, dimension_semantics=[pltpu.PARALLEL, pltpu.ARBITRARY])
jax.vmap(lambda x: launch(x, dimension_semantics=("arbitrary", "parallel")))(jnp.stack([x, x]))
plgpu.CompilerParams(dimension_semantics=("parallel", "sequential"))

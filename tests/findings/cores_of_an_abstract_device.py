# Under a mesh of devices of which nobody knows the kind, a chip has one core.
# jax: not run
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

jax.set_mesh(jax.make_mesh((1,), ("x",)))


@jax.jit
@functools.partial(jax.shard_map, in_specs=jax.P("x"), out_specs=jax.P("x"), check_vma=False)
def copied(x):
    @pl.kernel(out_type=jax.ShapeDtypeStruct(x.shape, x.dtype), mesh=pltpu.create_tensorcore_mesh("core"))
    def kernel(x_ref, o_ref):
        pltpu.sync_copy(x_ref, o_ref)

    return kernel(x)


copied(jnp.ones((8, 128)))

# A kernel over a mesh takes scalars of the function around it, and no arrays.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

mesh = pltpu.create_tensorcore_mesh("core", num_cores=1)


def shifted(row, array):
    def body(x_ref, o_ref):
        pltpu.sync_copy(x_ref.at[pl.ds(row, 8)], o_ref)
        if array is not None:
            o_ref[...] = array
#           ^ PL305 error "captures a value of the function around it: f32[8,128]"

    return pl.kernel(body, out_type=jax.ShapeDtypeStruct((8, 128), jnp.float32), mesh=mesh)(jnp.ones((16, 128)))


jax.eval_shape(lambda: shifted(jnp.int32(8), None))
jax.eval_shape(lambda: shifted(jnp.int32(8), jnp.ones((8, 128))))

# Barriers and counters of the subcores of SparseCores.
# jax: not run
# target: tpu-v5p
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import tpu_sc as plsc


def launch(x):
    mesh = plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore")

    @pl.kernel(out_shape=x, mesh=mesh, scratch_shapes=[pltpu.SMEM((4,), jnp.int32), pltpu.SMEM((1,), jnp.int32)])
    def run(x_ref, o_ref, counts, one):
#                  ^ PL128 warning "no program stores to part of o_ref"
        @pl.loop(0, 4)
        def _(i):
            counts[i] = 0

        one[0] = 0
        plsc.subcore_barrier()
        first = plsc.fetch_and_add(counts.at[1], 3, subcore_id=jax.lax.axis_index("subcore"))
        second = plsc.fetch_and_add(one, jnp.int32(3), subcore_id=0)
        pltpu.sync_copy(x_ref.at[first + second], o_ref.at[0])

    return run(x)


jax.eval_shape(launch, jax.ShapeDtypeStruct((16, 128), jnp.float32))

# Two cores, to which a parallel axis is dealt, write the same block of the output.
# jax: runs
# found by a run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + pl.program_id(0)


x = jnp.ones((8, 128), jnp.int32)
y = pl.pallas_call(
#   ^ PL410 error "this write to o_ref races with the same of core 0"
    kernel,
    grid=(2,),
    out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
    in_specs=[pl.BlockSpec(memory_space=pltpu.VMEM)],
    compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel",)),
    interpret=pltpu.InterpretParams(num_cores_or_threads=2, detect_races=True),
)(x)
print(y.shape)

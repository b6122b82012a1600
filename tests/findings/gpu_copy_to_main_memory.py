# A copy into shared memory is given an output in main memory.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, o_gmem, barrier):
    plgpu.copy_gmem_to_smem(x_gmem, o_gmem, barrier)
#   ^ PL340 error "dst must be a SMEM reference"
    plgpu.barrier_wait(barrier)


x = jax.ShapeDtypeStruct((128,), jnp.float32)
jax.eval_shape(plgpu.kernel(kernel, out_type=x, scratch_types=[plgpu.Barrier()]), x)

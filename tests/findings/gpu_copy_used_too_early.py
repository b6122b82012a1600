# A copy into shared memory is used before its barrier has been waited for.
# jax: runs
# found by a run, and before
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, o_gmem, x_smem, filled):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, filled)
    o_gmem[...] = x_smem[...] + 1.0
#                 ^ PL410 error "this read of x_smem races with a copy that writes it"
    plgpu.barrier_wait(filled)


x = jnp.arange(128, dtype=jnp.float32)
scratch = [plgpu.SMEM((128,), jnp.float32), plgpu.Barrier()]
print(plgpu.kernel(kernel, out_type=x, scratch_types=scratch, interpret=InterpretGPUParams())(x)[:4])

# A copy out of shared memory that nobody has filled: the results stay in registers.
# jax: runs
# found by a run, and before
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, o_gmem, x_smem, o_smem, filled):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, filled)
    plgpu.barrier_wait(filled)
    result = x_smem[...] + 1.0
    del result
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)
#   ^ PL412 error "this copy reads o_smem, which nobody has written"
    plgpu.wait_smem_to_gmem(0)


x = jnp.arange(128, dtype=jnp.float32)
scratch = [plgpu.SMEM((128,), x.dtype), plgpu.SMEM((128,), x.dtype), plgpu.Barrier()]
print(plgpu.kernel(kernel, out_type=x, scratch_types=scratch, interpret=InterpretGPUParams())(x).shape)

# A copy out of shared memory is still under way when its thread ends.
# jax: runs
# found by a run, and before
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, o_gmem, smem):
    smem[...] = x_gmem[...] + 1.0
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(smem, o_gmem)
#   ^ PL402 error "ends while this copy may still be reading its source"


x = jnp.arange(128, dtype=jnp.float32)
scratch = [plgpu.SMEM((128,), jnp.float32)]
print(plgpu.kernel(kernel, out_type=x, scratch_types=scratch, interpret=InterpretGPUParams())(x)[:4])

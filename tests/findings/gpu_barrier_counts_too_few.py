# Two copies arrive at a barrier that counts one arrival: the second completes a phase before anybody has seen the first.
# jax: not run
# found by a run, and before
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, y_gmem, o_gmem, x_smem, y_smem, filled):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, filled)
    plgpu.copy_gmem_to_smem(y_gmem, y_smem, filled)
#   ^ PL414 error "Barrier arrival was completed again before previous completion was observed"
    plgpu.barrier_wait(filled)
    o_gmem[...] = x_smem[...] + y_smem[...]


x = jnp.arange(128, dtype=jnp.float32)
scratch = [plgpu.SMEM((128,), x.dtype), plgpu.SMEM((128,), x.dtype), plgpu.Barrier()]
print(plgpu.kernel(kernel, out_type=x, scratch_types=scratch, interpret=InterpretGPUParams())(x, x)[:4])

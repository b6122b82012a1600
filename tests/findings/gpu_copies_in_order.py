# Copies that are waited for, committed writes, and blocks with elements of their own: nothing races.
# jax: runs
# found by a run
import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, o_gmem, x_smem, o_smem, filled):
    i = lax.axis_index("i")
    plgpu.copy_gmem_to_smem(x_gmem.at[i], x_smem, filled)
    plgpu.barrier_wait(filled)
    o_smem[...] = x_smem[...] + 1.0
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[i])
    plgpu.wait_smem_to_gmem(0)


x = jnp.ones((4, 128), jnp.float32)
scratch = [plgpu.SMEM((128,), jnp.float32), plgpu.SMEM((128,), jnp.float32), plgpu.Barrier()]
interpret = InterpretGPUParams()
launch = plgpu.kernel(
    kernel, out_type=x, scratch_types=scratch, grid=(4,), grid_names=("i",), interpret=interpret
)
print(launch(x).shape)

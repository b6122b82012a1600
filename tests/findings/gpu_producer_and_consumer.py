# One warpgroup brings a block, the other computes with it: nothing is wrong with this.
# jax: runs
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, o_gmem, smem, filled):
    thread = lax.axis_index("wg")

    @pl.when(thread == 0)
    def _():
        plgpu.copy_gmem_to_smem(x_gmem, smem, filled)

    @pl.when(thread == 1)
    def _():
        plgpu.barrier_wait(filled)
        o_gmem[...] = smem[...] + 1.0


x = jax.ShapeDtypeStruct((128,), jnp.float32)
scratch = [plgpu.SMEM((128,), jnp.float32), plgpu.Barrier()]
launcher = plgpu.kernel(kernel, out_type=x, scratch_types=scratch, num_threads=2, thread_name="wg")
print(jax.eval_shape(launcher, x))

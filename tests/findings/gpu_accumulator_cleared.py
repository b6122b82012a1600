# The first product replaces what is in tensor memory, the others add to it; slots are filled before they are read.
# jax: not run
# found by a run
import jax
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, acc_tmem, arrived, multiplied):
    @pl.loop(0, 2)
    def _(k):
        plgpu.copy_gmem_to_smem(a_gmem.at[:, pl.ds(k * 64, 64)], a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem.at[pl.ds(k * 64, 64)], b_smem, arrived)
        plgpu.barrier_wait(arrived)
        plgpu.tcgen05_mma(acc_tmem, a_smem, b_smem, multiplied, accumulate=(k > 0))
        plgpu.barrier_wait(multiplied)

    o_gmem[...] = plgpu.async_load_tmem(acc_tmem)
    plgpu.wait_load_tmem()


a, b = jnp.ones((128, 128), jnp.float16), jnp.ones((128, 128), jnp.float16)
scratch = [
    plgpu.SMEM((128, 64), a.dtype),
    plgpu.SMEM((64, 128), b.dtype),
    plgpu.TMEM((128, 128), jnp.float32),
    plgpu.Barrier(num_arrivals=2),
    plgpu.Barrier(orders_tensor_core=True),
]
out = jax.ShapeDtypeStruct((128, 128), jnp.float32)
print(plgpu.kernel(kernel, out_type=out, scratch_types=scratch, interpret=InterpretGPUParams())(a, b)[0, :2])

# A product that adds to an accumulator in tensor memory, which holds what the block before has left there.
# jax: not run
# found by a run, and before
import jax
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, acc_tmem, arrived, multiplied):
    plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
    plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
    plgpu.barrier_wait(arrived)
    plgpu.tcgen05_mma(acc_tmem, a_smem, b_smem, multiplied)
#   ^ PL412 error "this product reads acc_tmem, which nobody has written"
    plgpu.barrier_wait(multiplied)
    o_gmem[...] = plgpu.async_load_tmem(acc_tmem)
    plgpu.wait_load_tmem()


a, b = jnp.ones((128, 64), jnp.float16), jnp.ones((64, 128), jnp.float16)
scratch = [
    plgpu.SMEM(a.shape, a.dtype),
    plgpu.SMEM(b.shape, b.dtype),
    plgpu.TMEM((128, 128), jnp.float32),
    plgpu.Barrier(num_arrivals=2),
    plgpu.Barrier(orders_tensor_core=True),
]
out = jax.ShapeDtypeStruct((128, 128), jnp.float32)
print(plgpu.kernel(kernel, out_type=out, scratch_types=scratch, interpret=InterpretGPUParams())(a, b).shape)

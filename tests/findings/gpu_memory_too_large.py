# Blocks that need more shared memory or tensor memory than a GPU has.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, o_gmem, slots, arrived):
    plgpu.copy_gmem_to_smem(x_gmem.at[0], slots.at[0], arrived)
    plgpu.barrier_wait(arrived)
    o_gmem[0] = slots[0]


def accumulating(a_gmem, o_gmem, acc_tmem):
    o_gmem[...] = plgpu.async_load_tmem(acc_tmem.at[:, pl.ds(0, 128)])
#                 ^ PL412 error "this reads acc_tmem, which nobody has written"
    plgpu.wait_load_tmem()


def shared(x):
    scratch = [plgpu.SMEM((8, 128, 128), x.dtype), plgpu.Barrier()]
    return plgpu.kernel(kernel, out_type=x, scratch_types=scratch)(x)
#          ^ PL411 error "needs 256 KiB of shared memory, a GPU has 227 KiB"


def tensor(x):
    scratch = [plgpu.TMEM((128, 640), jnp.float32)]
    return plgpu.kernel(accumulating, out_type=x, scratch_types=scratch)(x)
#          ^ PL411 error "needs 640 columns of tensor memory, a GPU has 512"


jax.eval_shape(shared, jax.ShapeDtypeStruct((16, 128, 128), jnp.float16))
jax.eval_shape(tensor, jax.ShapeDtypeStruct((128, 128), jnp.float32))

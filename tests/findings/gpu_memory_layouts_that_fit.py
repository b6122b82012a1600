# Layouts of shared memory that fit, parts of whole tiles, tensor memory with 64 and 128 rows.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

tiled = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
out = jax.ShapeDtypeStruct((64, 64), jnp.float16)


def copy(x_gmem, x_smem, arrived):
    plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(0, 16)], x_smem.at[1, pl.ds(8, 16)], arrived)
    plgpu.barrier_wait(arrived)


def nothing(*memory):
    pass


scratch = [plgpu.SMEM((2, 64, 64), jnp.float16, transforms=tiled), plgpu.Barrier()]
jax.eval_shape(plgpu.kernel(copy, scratch_types=scratch), out)
memory = [
    plgpu.SMEM((64, 64), jnp.float32, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))),
    plgpu.SMEM((64, 64), jnp.float16, transforms=(plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(64))),
    plgpu.SMEM((64, 64), jnp.float16, transforms=(plgpu.SwizzleTransform(128),)),
    plgpu.SMEM((60, 7), jnp.float16),
    plgpu.TMEM((64, 128), jnp.float32),
    plgpu.TMEM((128, 64), jnp.float16, packed=True),
]
jax.eval_shape(plgpu.kernel(nothing, scratch_types=memory))

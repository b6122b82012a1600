# Layouts of shared memory that do not fit what lies there, parts that cut tiles, tensor memory of other than 64 or 128 rows.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

tiled = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
out = jax.ShapeDtypeStruct((64, 64), jnp.float16)


def copy(x_gmem, x_smem, arrived):
    plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(0, 8)], x_smem.at[pl.ds(4, 8)], arrived)
#   ^ PL507 error "tiles have 8 elements along dimension 0"
    plgpu.barrier_wait(arrived)


def nothing(x_smem):
    pass


def scoped():
    pl.run_scoped(lambda x_smem: None, plgpu.SMEM((64, 64), jnp.float32, transforms=tiled))
#   ^ PL507 error "a swizzle of 128 bytes needs rows of 32 elements of float32: x_smem has 64"


scratch = [plgpu.SMEM((64, 64), jnp.float16, transforms=tiled), plgpu.Barrier()]
jax.eval_shape(plgpu.kernel(copy, scratch_types=scratch), out)
jax.eval_shape(plgpu.kernel(scoped))
untiled = [plgpu.SMEM((64, 128), jnp.float16, transforms=tiled[1:])]
jax.eval_shape(plgpu.kernel(nothing, scratch_types=untiled))
#              ^ PL507 error "x_smem has 128"
short = [plgpu.SMEM((60, 64), jnp.float16, transforms=tiled)]
jax.eval_shape(plgpu.kernel(nothing, scratch_types=short))
#              ^ PL507 error "tiles of 8 do not divide dimension 0 of x_smem, which has 60"
plgpu.TMEM((32, 128), jnp.float32)
#^ PL507 error "TMEM references must have either 128 or 64 rows, but got 32"

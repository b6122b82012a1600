# Copies of all shapes that Mosaic GPU makes, and one that it never gets to see.
# jax: runs
import jax
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def fetch(x_gmem, x_smem, arrived):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, arrived)
    plgpu.barrier_wait(arrived)


def fetch_part(x_gmem, x_smem, arrived):
    plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(0, 256)], x_smem, arrived)
    plgpu.barrier_wait(arrived)


def give(o_gmem, o_smem):
    o_smem[...] = jnp.zeros_like(o_smem)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)


def ask(kernel, array, part, dtype=jnp.float32, transforms=()):
    scratch = [plgpu.SMEM(part, dtype, transforms=transforms), plgpu.Barrier()]
    launch = plgpu.kernel(kernel, scratch_types=scratch)
    jax.eval_shape(launch, jax.ShapeDtypeStruct(array, dtype))


ask(fetch, (128,), (128,))
ask(fetch, (64, 100), (64, 100))
ask(fetch, (64,), (64,), jnp.bfloat16)
ask(fetch, (512, 64), (512, 64), jnp.float16, (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)))
ask(fetch_part, (512,), (256,))
out = jax.ShapeDtypeStruct((512,), jnp.float32)
jax.eval_shape(plgpu.kernel(give, out_type=out, scratch_types=[plgpu.SMEM((512,), jnp.float32)]))

# Interpreted, it runs.
x = jnp.arange(100.0)
scratch = [plgpu.SMEM((100,), jnp.float32), plgpu.Barrier()]
jax.eval_shape(plgpu.kernel(fetch, scratch_types=scratch, interpret=InterpretGPUParams()), x)

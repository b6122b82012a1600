# A pipeline that gives its slots back while the product of the step may still read them: `delay_release` is missing.
# jax: runs
# found by a run, and before
import jax
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(a_gmem, b_gmem, o_gmem):
    def accumulate(acc):
        def step(_, a_smem, b_smem):
            plgpu.wgmma(acc, a_smem, b_smem)
            plgpu.wgmma_wait(1)

        plgpu.emit_pipeline(
#       ^ PL415 error "wait for the product before"
            step,
            grid=(a_gmem.shape[1] // 64,),
            in_specs=[
                plgpu.BlockSpec((64, 64), lambda k: (0, k)),
                plgpu.BlockSpec((64, 64), lambda k: (k, 0)),
            ],
            max_concurrent_steps=2,
        )(a_gmem, b_gmem)
        return acc[...]

    o_gmem[...] = pl.run_scoped(accumulate, plgpu.ACC((64, 64), jnp.float32))


a = jnp.ones((64, 256), jnp.float16)
b = jnp.ones((256, 64), jnp.float16)
out = jax.ShapeDtypeStruct((64, 64), jnp.float32)
print(plgpu.kernel(kernel, out_type=out, interpret=InterpretGPUParams())(a, b)[0, :2])

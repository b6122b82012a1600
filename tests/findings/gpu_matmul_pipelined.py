# A product in a pipeline with a warpgroup for copies, over the points of a grid: nothing is wrong with this.
# jax: runs
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

m, n, k, tile = 256, 256, 256, 64
transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def kernel(a_gmem, b_gmem, o_gmem, o_smem):
    @plgpu.nd_loop((m // tile, n // tile), collective_axes="sm")
    def _(info):
        i, j = info.index

        def compute(pipeline):
            @functools.partial(pl.run_scoped, acc=plgpu.ACC((tile, tile), jnp.float32))
            def _(acc):
                pipeline(acc)
                plgpu.wait_smem_to_gmem(0, wait_read_only=True)
                o_smem[...] = acc[...].astype(jnp.float16)
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(i * tile, tile), pl.ds(j * tile, tile)])

        def step(_, a_smem, b_smem, acc):
            plgpu.wgmma(acc, a_smem, plgpu.transpose_ref(b_smem, (1, 0)))
            plgpu.wgmma_wait(0)
            return acc

        plgpu.emit_pipeline_warp_specialized(
            step,
            grid=(k // tile,),
            memory_registers=40,
            in_specs=[
                plgpu.BlockSpec((tile, tile), lambda s: (i, s), transforms=transforms),
                plgpu.BlockSpec((tile, tile), lambda s: (j, s), transforms=transforms),
            ],
            max_concurrent_steps=2,
            wg_axis="wg",
            num_compute_wgs=1,
            compute_context=compute,
        )(a_gmem, b_gmem)

    plgpu.wait_smem_to_gmem(0)


x = jax.ShapeDtypeStruct((m, k), jnp.float16)
launcher = plgpu.kernel(
    kernel,
    out_type=x,
    scratch_types=[plgpu.SMEM((tile, tile), jnp.float16, transforms=transforms)],
    grid=(2,),
    grid_names=("sm",),
    num_threads=2,
    thread_name="wg",
)
print(jax.eval_shape(launcher, x, x))

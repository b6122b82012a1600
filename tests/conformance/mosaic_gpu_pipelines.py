"""Pipelines and products of Mosaic GPU kernels, as JAX's GPU interpreter runs them."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

interpret = InterpretGPUParams()
Array = jax.ShapeDtypeStruct
transforms = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(64))


def matmul(a_gmem, b_gmem, o_gmem, o_smem, *, tile):
    (m, k), n = a_gmem.shape, b_gmem.shape[1]

    @plgpu.nd_loop((m // tile, n // tile), collective_axes="sm")
    def _(info):
        i, j = info.index

        def compute(pipeline):
            @functools.partial(pl.run_scoped, acc=plgpu.ACC((tile, tile), jnp.float32))
            def _(acc):
                pipeline(acc)
                plgpu.wait_smem_to_gmem(0, wait_read_only=True)
                o_smem[...] = acc[...].astype(o_smem.dtype)
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(i * tile, tile), pl.ds(j * tile, tile)])

        def step(_, a_smem, b_smem, acc):
            plgpu.wgmma(acc, a_smem, b_smem)
            plgpu.wgmma_wait(0)
            return acc

        plgpu.emit_pipeline_warp_specialized(
            step,
            grid=(k // tile,),
            memory_registers=40,
            in_specs=[
                plgpu.BlockSpec((tile, tile), lambda s: (i, s), transforms=transforms),
                plgpu.BlockSpec((tile, tile), lambda s: (s, j), transforms=transforms),
            ],
            max_concurrent_steps=2,
            wg_axis="wg",
            num_compute_wgs=1,
            compute_context=compute,
        )(a_gmem, b_gmem)

    plgpu.wait_smem_to_gmem(0)


rng = np.random.default_rng(0)
a = jnp.asarray(rng.integers(-4, 5, (64, 96)), jnp.float16)
b = jnp.asarray(rng.integers(-4, 5, (96, 64)), jnp.float16)
launcher = plgpu.kernel(
    functools.partial(matmul, tile=32),
    out_type=Array((64, 64), jnp.float16),
    scratch_types=[plgpu.SMEM((32, 32), jnp.float16, transforms=transforms)],
    grid=(2,),
    grid_names=("sm",),
    num_threads=2,
    thread_name="wg",
    interpret=interpret,
)
product = launcher(a, b)
print(product[:2, :6], (product == a @ b).all())


def rows_added(x_gmem, o_gmem):
    def step(indices, x_smem, total):
        return total + x_smem[...].sum(axis=0) + indices[0]

    pipeline = plgpu.emit_pipeline(
        step,
        grid=(4,),
        in_specs=[plgpu.BlockSpec((8, 128), lambda s: (s, 0))],
        max_concurrent_steps=3,
        init_carry=jnp.zeros((128,), jnp.float32),
    )
    o_gmem[...] = pipeline(x_gmem)


x = jnp.arange(32 * 128, dtype=jnp.float32).reshape(32, 128)
launcher = plgpu.kernel(rows_added, out_type=Array((128,), jnp.float32), interpret=interpret)
print(launcher(x)[:4], (launcher(x) == x.sum(0) + 6).all())

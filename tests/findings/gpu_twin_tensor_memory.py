# The broken twin of samples/25: the next product does not wait until the accumulator has been read.
# jax: not run
# found by a run, and before
import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILE, HALVES, TILES = 128, 2, 4


def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, acc_tmem, arrived, multiplied):
    thread = lax.axis_index("wg")

    @pl.when(thread == 0)
    def _():
        plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
        plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
        plgpu.barrier_wait(arrived)

        @pl.loop(0, TILES)
        def _(tile):
            half = lax.rem(tile, HALVES)
            b = b_smem.at[:, pl.ds(tile * TILE, TILE)]
            plgpu.tcgen05_mma(acc_tmem.at[:, pl.ds(half * TILE, TILE)], a_smem, b, accumulate=False)
            plgpu.tcgen05_commit_arrive(multiplied.at[tile])

    @pl.when(thread == 1)
    def _():
        @pl.loop(0, TILES)
        def _(tile):
            half = lax.rem(tile, HALVES)
            plgpu.barrier_wait(multiplied.at[tile])
            result = plgpu.async_load_tmem(acc_tmem.at[:, pl.ds(half * TILE, TILE)])
#                    ^ PL410 error "this read of acc_tmem races with a product that writes it"
            plgpu.wait_load_tmem()
            o_gmem[:, pl.ds(tile * TILE, TILE)] = result


a, b = jnp.ones((TILE, 64), jnp.float16), jnp.ones((64, TILES * TILE), jnp.float16)
scratch = [
    plgpu.SMEM(a.shape, a.dtype),
    plgpu.SMEM(b.shape, b.dtype),
    plgpu.TMEM((TILE, HALVES * TILE), jnp.float32),
    plgpu.Barrier(num_arrivals=2),
    plgpu.Barrier(num_barriers=TILES, orders_tensor_core=True),
]
out = jax.ShapeDtypeStruct((TILE, TILES * TILE), jnp.float32)
interpret = InterpretGPUParams()
launch = plgpu.kernel(
    kernel, out_type=out, scratch_types=scratch, num_threads=2, thread_name="wg", interpret=interpret
)
print(launch(a, b).shape)

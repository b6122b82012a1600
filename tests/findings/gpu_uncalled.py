# GPU kernels that nobody launches: what goes wrong with their waits is found all the same.
# jax: runs
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

SLOTS, TILE = 2, 64


def doubled(x: jax.Array):
    def kernel(x_gmem, o_gmem, slots, out, arrived):
        def fetch(step, slot):
            plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(step * TILE, TILE)], slots.at[slot], arrived.at[slot])

        fetch(0, 0)

        @pl.loop(0, 8)
        def _(step):
            slot = lax.rem(step, SLOTS)

            @pl.when(step + 1 < 8)
            def _():
                fetch(step + 1, lax.rem(step + 1, SLOTS))

            plgpu.barrier_wait(arrived.at[slot])
            out[...] = slots[slot] * 2
#           ^ PL415 warning "this write to out races with a copy that reads it"
            plgpu.commit_smem()
            plgpu.copy_smem_to_gmem(out, o_gmem.at[pl.ds(step * TILE, TILE)])

        plgpu.wait_smem_to_gmem(0)

    assert x.shape == (512,)
    scratch = [plgpu.SMEM((SLOTS, TILE), x.dtype), plgpu.SMEM((TILE,), x.dtype), plgpu.Barrier(num_barriers=SLOTS)]
    return plgpu.kernel(kernel, out_type=x, scratch_types=scratch)(x)


def handed_over(x: jax.Array):
    def kernel(x_gmem, o_gmem, shared, full):
        @pl.when(lax.axis_index("wg") == 0)
        def _():
            shared[...] = x_gmem[...]

        @pl.when(lax.axis_index("wg") == 1)
        def _():
            plgpu.barrier_wait(full)
#           ^ PL401 warning "thread 1 waits for phase 1 of full, which has 0 of 1 arrivals"
            o_gmem[...] = shared[...]

    assert x.shape == (128,)
    scratch = [plgpu.SMEM((128,), x.dtype), plgpu.Barrier()]
    return plgpu.kernel(kernel, out_type=x, scratch_types=scratch, num_threads=2, thread_name="wg")(x)


def summed(x: jax.Array):
    def kernel(x_gmem, y_gmem, o_gmem, x_smem, y_smem, filled):
        plgpu.copy_gmem_to_smem(x_gmem, x_smem, filled)
        plgpu.copy_gmem_to_smem(y_gmem, y_smem, filled)
#       ^ PL414 warning "completed again before previous completion was observed"
        plgpu.barrier_wait(filled)
        o_gmem[...] = x_smem[...] + y_smem[...]

    assert x.shape == (128,)
    scratch = [plgpu.SMEM((128,), x.dtype), plgpu.SMEM((128,), x.dtype), plgpu.Barrier()]
    return plgpu.kernel(kernel, out_type=x, scratch_types=scratch)(x, x)

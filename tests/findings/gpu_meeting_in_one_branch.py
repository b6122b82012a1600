# Two threads meet at a barrier, but one of them comes there in a branch only; a third one leaves a loop sooner.
# jax: not run
# found by a run, and before
import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def meets_in_a_branch(o_gmem, met):
    thread = lax.axis_index("wg")
    o_gmem[thread] = thread

    @pl.when(thread == 0)
    def _():
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)
#       ^ PL423 error "thread 0 waits for phase 1 of met, which has 1 of 2 arrivals. thread 1 takes another branch"

    o_gmem[thread] = thread + 1


def leaves_sooner(o_gmem, met):
    thread = lax.axis_index("wg")

    def turn(step, total):
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)
#       ^ PL423 error "thread 0 waits for phase 3 of met, which has 1 of 2 arrivals. thread 1 leaves the loop before"
        return total + step

    o_gmem[thread] = lax.fori_loop(0, 4 - 2 * thread, turn, 0)


def meet(o_gmem, met):
    thread = lax.axis_index("wg")

    def turn(step, total):
        plgpu.barrier_arrive(met)
        plgpu.barrier_wait(met)
        return total + step

    o_gmem[thread] = lax.fori_loop(0, 4, turn, 0)


for kernel in (meet, meets_in_a_branch, leaves_sooner):
    launch = plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((2,), jnp.int32),
        scratch_types=[plgpu.Barrier(num_arrivals=2)],
        num_threads=2,
        thread_name="wg",
        interpret=InterpretGPUParams(),
    )
    try:
        print(launch())
    except Exception as error:
        assert "collective mismatch" in str(error), error

"""Threads of a Mosaic GPU kernel that bring blocks for each other, as JAX's GPU interpreter runs them."""

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

interpret = InterpretGPUParams()
Array = jax.ShapeDtypeStruct


def producer_and_consumer(x_gmem, o_gmem, smem, filled):
    thread = lax.axis_index("wg")

    @pl.when(thread == 0)
    def _():
        plgpu.copy_gmem_to_smem(x_gmem, smem, filled)

    @pl.when(thread == 1)
    def _():
        plgpu.barrier_wait(filled)
        o_gmem[...] = smem[...] * 2.0


x = jnp.arange(128, dtype=jnp.float32)
launcher = plgpu.kernel(
    producer_and_consumer,
    out_type=Array(x.shape, x.dtype),
    scratch_types=[plgpu.SMEM((128,), jnp.float32), plgpu.Barrier()],
    num_threads=2,
    thread_name="wg",
    interpret=interpret,
)
print(launcher(x).sum(), launcher(x)[:4])


def slots(x_gmem, o_gmem, smem, filled, free):
    """A ring of two slots over a loop."""
    thread = lax.axis_index("wg")
    steps = x_gmem.shape[0]

    @pl.when(thread == 1)
    def _():
        @pl.loop(0, steps)
        def _(step):
            slot = lax.rem(step, 2)

            @pl.when(step >= 2)
            def _():
                plgpu.barrier_wait(free.at[slot])

            plgpu.copy_gmem_to_smem(x_gmem.at[step], smem.at[slot], filled.at[slot])

    @pl.when(thread == 0)
    def _():
        def body(step, total):
            slot = lax.rem(step, 2)
            plgpu.barrier_wait(filled.at[slot])
            total = total + smem[slot]

            @pl.when(step + 2 < steps)
            def _():
                plgpu.barrier_arrive(free.at[slot])

            return total

        o_gmem[...] = lax.fori_loop(0, steps, body, jnp.zeros((64,), jnp.float32))


x = jnp.arange(7 * 64, dtype=jnp.float32).reshape(7, 64)
launcher = plgpu.kernel(
    slots,
    out_type=Array((64,), jnp.float32),
    scratch_types=[
        plgpu.SMEM((2, 64), jnp.float32),
        plgpu.Barrier(num_barriers=2),
        plgpu.Barrier(num_barriers=2),
    ],
    num_threads=2,
    thread_name="wg",
    interpret=interpret,
)
print(launcher(x)[:5], (launcher(x) == x.sum(0)).all())


def blocks(x_gmem, o_gmem):
    block, thread = lax.axis_index("b"), lax.axis_index("wg")

    @plgpu.nd_loop((6,), collective_axes=("b", "wg"))
    def _(info):
        (row,) = info.index
        o_gmem[row] = x_gmem[row] + 100 * block + 10 * thread + info.local_index


x = jnp.zeros((6,), jnp.int32)
launcher = plgpu.kernel(
    blocks,
    out_type=Array((6,), jnp.int32),
    grid=(2,),
    grid_names=("b",),
    num_threads=2,
    thread_name="wg",
    interpret=interpret,
)
print(launcher(x))


def clusters(o_gmem):
    index = lax.axis_index("c")
    o_gmem[lax.axis_index("g"), index] = index * 10 + lax.axis_index("g")


launcher = plgpu.kernel(
    clusters,
    out_type=Array((3, 2), jnp.int32),
    grid=(3,),
    grid_names=("g",),
    cluster=(2,),
    cluster_names=("c",),
    interpret=interpret,
)
print(launcher())

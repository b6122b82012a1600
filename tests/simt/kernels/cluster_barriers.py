"""Barriers of a cluster of two by two blocks: along one axis, along both, along sets of them, and copies along one of two axes."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROUNDS = 3


def kernel(x_gmem, o_gmem, smem, filled, row, both, cross):
  i, j = lax.axis_index("i"), lax.axis_index("j")

  @pl.loop(0, ROUNDS)
  def _(turn):
    # Blocks of a row get the same, blocks of a column something else.
    plgpu.copy_gmem_to_smem(x_gmem.at[turn, i], smem, filled, collective_axes="j")
    plgpu.barrier_wait(filled)
    o_gmem[turn, i, j] = smem[...] * 2.0 + (2 * i + j).astype(jnp.float32)
    # Who shares copies has read them before the next one.
    plgpu.barrier_arrive(row)
    plgpu.barrier_wait(row)
    plgpu.barrier_arrive(both)
    plgpu.barrier_wait(both)
    plgpu.barrier_arrive(cross)
    plgpu.barrier_wait(cross)


x = jnp.arange(ROUNDS * 2 * 512, dtype=jnp.float32).reshape(ROUNDS, 2, 512)
launcher = plgpu.kernel(
    kernel,
    out_type=jax.ShapeDtypeStruct((ROUNDS, 2, 2, 512), jnp.float32),
    scratch_types=[
        plgpu.SMEM((512,), jnp.float32),
        plgpu.Barrier(),
        plgpu.ClusterBarrier(collective_axes=("j",)),
        plgpu.ClusterBarrier(collective_axes=(("i", "j"),)),
        plgpu.ClusterBarrier(collective_axes=("i", "j")),
    ],
    grid=(),
    grid_names=(),
    cluster=(2, 2),
    cluster_names=("i", "j"),
    interpret=InterpretGPUParams(),
)
number = np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)
np.testing.assert_array_equal(launcher(x), np.asarray(x)[:, :, None] * 2 + number)

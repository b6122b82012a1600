"""Barriers of a cluster at which all blocks of a row arrive, and which the first of them waits for (`leader_tracked`)."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROUNDS = 3


def kernel(x_gmem, o_gmem, sums_gmem, brought, free):
  i, j = lax.axis_index("i"), lax.axis_index("j")

  @pl.loop(0, ROUNDS)
  def _(turn):
    o_gmem[turn, i, j] = x_gmem[turn, i, j] * 2.0
    plgpu.barrier_arrive(brought)

    # What all of the row have written.
    @pl.when(j == 0)
    def _():
      plgpu.barrier_wait(brought)
      sums_gmem[turn, i] = o_gmem[turn, i, 0] + o_gmem[turn, i, 1]

    plgpu.barrier_arrive(free)
    plgpu.barrier_wait(free)


x = jnp.arange(ROUNDS * 4 * 128, dtype=jnp.float32).reshape(ROUNDS, 2, 2, 128)
_, sums = plgpu.kernel(
    kernel,
    out_type=(jax.ShapeDtypeStruct(x.shape, jnp.float32), jax.ShapeDtypeStruct((ROUNDS, 2, 128), jnp.float32)),
    scratch_types=[
        plgpu.ClusterBarrier(collective_axes=("j",), leader_tracked=True),
        plgpu.ClusterBarrier(collective_axes=("j",)),
    ],
    grid=(),
    grid_names=(),
    cluster=(2, 2),
    cluster_names=("i", "j"),
    interpret=InterpretGPUParams(),
)(x)
np.testing.assert_array_equal(np.asarray(sums), np.asarray(x).sum(axis=2) * 2)

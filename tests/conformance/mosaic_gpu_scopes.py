"""Two scopes one after the other, in a loop, whose arrays are never needed at the same time: two warpgroups fill one of them together, and
each reads what the other has put there."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROUNDS = 3


def kernel(x_gmem, o_gmem, filled, met):
  group = lax.axis_index("wg")

  def meet():
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)

  @pl.loop(0, ROUNDS)
  def _(turn):
    def first(smem):
      smem[group] = x_gmem[turn, group] * 2.0
      meet()
      o_gmem[turn, group] = smem[1 - group]

    def second(smem):
      @pl.when(group == 0)
      def _():
        plgpu.copy_gmem_to_smem(x_gmem.at[turn], smem, filled)

      @pl.when(group == 0)
      def _():
        plgpu.barrier_wait(filled)
        smem[0] += 1.0

      meet()
      o_gmem[turn, group] += smem[0]

    pl.run_scoped(first, plgpu.SMEM((2, 256), jnp.float32), collective_axes="wg")
    pl.run_scoped(second, plgpu.SMEM((2, 256), jnp.float32), collective_axes="wg")


x = jnp.arange(ROUNDS * 2 * 256, dtype=jnp.float32).reshape(ROUNDS, 2, 256)
launcher = plgpu.kernel(
    kernel,
    out_type=jax.ShapeDtypeStruct(x.shape, jnp.float32),
    scratch_types=[plgpu.Barrier(), plgpu.Barrier(num_arrivals=2)],
    num_threads=2,
    thread_name="wg",
    interpret=InterpretGPUParams(),
)
found = np.asarray(launcher(x))
expected = np.asarray(x)[:, ::-1] * 2 + np.asarray(x)[:, :1] + 1
np.testing.assert_array_equal(found, expected)
print("two scopes in", ROUNDS, "rounds")

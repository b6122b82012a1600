"""A warpgroup brings what another one multiplies or hands on, and only the data says whether it has brought all of it."""

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

F16, F32, I32 = jnp.float16, jnp.float32, jnp.int32


def launch(kernel, flag, x, dtype, *scratch):
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((64, 64), dtype),
      scratch_types=[*scratch, plgpu.Barrier(), plgpu.Barrier()],
      num_threads=2,
      thread_name="wg",
      interpret=InterpretGPUParams(),
  )(jnp.full((1,), flag, I32), x)


def brought(flag_gmem, x_gmem, x_smem, arrived, handed):
  @pl.when(flag_gmem[0] > 0)
  def _():
    plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(0, 32)], x_smem.at[pl.ds(0, 32)], arrived)
    plgpu.barrier_wait(arrived)

  plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(32, 32)], x_smem.at[pl.ds(32, 32)], arrived)
  plgpu.barrier_wait(arrived)
  plgpu.barrier_arrive(handed)


def hand_on(flag_gmem, x_gmem, o_gmem, x_smem, arrived, handed):
  @pl.when(lax.axis_index("wg") == 1)
  def _():
    brought(flag_gmem, x_gmem, x_smem, arrived, handed)

  @pl.when(lax.axis_index("wg") == 0)
  def _():
    plgpu.barrier_wait(handed)
    plgpu.copy_smem_to_gmem(x_smem, o_gmem)  # PL203
    plgpu.wait_smem_to_gmem(0)


def multiply(flag_gmem, x_gmem, o_gmem, x_smem, o_smem, arrived, handed):
  @pl.when(lax.axis_index("wg") == 1)
  def _():
    brought(flag_gmem, x_gmem, x_smem, arrived, handed)

  @pl.when(lax.axis_index("wg") == 0)
  def _():
    plgpu.barrier_wait(handed)

    def product(acc_ref):
      plgpu.wgmma(acc_ref, x_smem, x_smem)

    zeros = plgpu.layout_cast(jnp.zeros((64, 64), F32), plgpu.Layout.WGMMA)
    o_smem[...] = pl.run_state(product)(plgpu.ACC.init(zeros)).astype(F16)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)  # PL203
    plgpu.wait_smem_to_gmem(0)


def hand_on_all(flag_gmem, x_gmem, o_gmem, x_smem, arrived, handed):
  @pl.when(lax.axis_index("wg") == 1)
  def _():
    brought(flag_gmem, x_gmem, x_smem, arrived, handed)

  @pl.when(lax.axis_index("wg") == 0)
  def _():
    plgpu.barrier_wait(handed)
    plgpu.copy_smem_to_gmem(x_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)


tile = lambda dtype: plgpu.SMEM((64, 64), dtype)
x = jnp.ones((64, 64), F32)
print(launch(hand_on, 0, x, F32, tile(F32)).shape)
print(launch(hand_on, 0, x.astype(I32), I32, tile(I32)).shape)
print(launch(multiply, 0, x.astype(F16), F16, tile(F16), tile(F16)).shape)
print(launch(hand_on_all, 1, x, F32, tile(F32)).shape)

"""The products of `matmul_bf16.py` in JAX's dialect for Hopper: TMA brings the blocks, two warpgroups of three multiply them (`wgmma`)."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

# A block of 128 x 256 results, half of the columns for each warpgroup.
ROWS, COLUMNS, BLOCK_K, GROUPS, SLOTS = 128, 128, 64, 2, 3
# Tiles that share a band of the right factor are computed one after the other.
BAND = 4
PANELS = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))


def matmul_kernel(x_gmem, y_gmem, o_gmem, o_smem):
  tiles = (x_gmem.shape[0] // ROWS, y_gmem.shape[1] // (GROUPS * COLUMNS))
  m, n = plgpu.planar_snake(lax.axis_index("tile"), tiles, 1, BAND)
  rows = pl.ds(m * ROWS, ROWS)
  columns = pl.ds(n * GROUPS * COLUMNS, GROUPS * COLUMNS)
  group = lax.axis_index("group")
  mine = pl.ds(group * COLUMNS, COLUMNS)

  def compute(pipeline):
    acc = plgpu.layout_cast(jnp.full((ROWS, COLUMNS), 0, jnp.float32), plgpu.Layout.WGMMA)
    acc = pipeline(acc)
    o_smem[group] = acc.astype(o_smem.dtype)
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem.at[group], o_gmem.at[rows, columns].at[:, mine])
    plgpu.wait_smem_to_gmem(0)

  def step(_, x_smem, y_smem, acc):
    return pl.run_state(lambda sums: plgpu.wgmma(sums, x_smem, y_smem.at[:, mine]))(plgpu.ACC.init(acc))

  plgpu.emit_pipeline_warp_specialized(
      step,
      grid=(x_gmem.shape[1] // BLOCK_K,),
      in_specs=[
          plgpu.BlockSpec((ROWS, BLOCK_K), lambda k: (m, k), transforms=PANELS),
          plgpu.BlockSpec((BLOCK_K, GROUPS * COLUMNS), lambda k: (k, n), transforms=PANELS),
      ],
      compute_context=compute,
      max_concurrent_steps=SLOTS,
      num_compute_wgs=GROUPS,
      memory_registers=40,
      wg_axis="group",
  )(x_gmem, y_gmem)


def run(x, y):
  m, n = x.shape[0], y.shape[1]
  return plgpu.kernel(
      matmul_kernel,
      out_type=jax.ShapeDtypeStruct((m, n), x.dtype),
      scratch_types=[plgpu.SMEM((GROUPS, ROWS, COLUMNS), x.dtype, transforms=PANELS)],
      grid=(m // ROWS * (n // (GROUPS * COLUMNS)),),
      grid_names=("tile",),
      num_threads=GROUPS + 1,
      thread_name="group",
  )(x, y)


CASES = {f"matmul_plgpu_{n}": [(n, n), (n, n)] for n in (4096, 8192)}
# What interpret mode runs, too.
SMALL = [(256, 320), (320, 512)]
DTYPE = jnp.bfloat16

if __name__ == "__main__":
  for shapes in [*CASES.values(), SMALL]:
    run(*[jnp.ones(shape, DTYPE) for shape in shapes])

"""Products into tensor memory of factors of four bits with scales: powers of two for 32 terms each (mxfp4), or floats for 16 (nvfp4).

Every sum is exact. JAX 0.10.2 runs these kernels on a GPU only; they are compared with products of what the factors stand for.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS = 128
SCALES = plgpu.TMEMLayout.SCALES_LAYOUT
BLOCKS = {"float8_e8m0fnu": 32, "float8_e4m3fn": 16}


def panels(swizzle):
  return plgpu.TilingTransform((8, 2 * swizzle)), plgpu.SwizzleTransform(swizzle)


def in_tiles(scales):
  rows, count = scales.shape
  apart = scales.reshape(rows // 128, 4, 32, count // 4, 4)
  return apart.transpose(0, 3, 2, 1, 4).reshape(rows // 128, count // 4, 32, 16)


def made_scales(dtype, rows, count):
  numbers = np.arange(rows * count).reshape(rows, count)
  if dtype == "float8_e8m0fnu":
    return lax.bitcast_convert_type(jnp.asarray((numbers * 5 % 7 + 124).astype(np.uint8)), jnp.float8_e8m0fnu)
  return jnp.asarray((numbers * 5 % 11 + 1) / 8, dtype)


def floats(rows, terms, seed):
  bits = (np.arange(rows * terms).reshape(rows, terms) * 7 + np.arange(rows)[:, None] * seed) % 16
  return lax.bitcast_convert_type(jnp.asarray(bits, jnp.uint4), jnp.float4_e2m1fn)


def spread(factor, scales, block):
  return np.asarray(factor.astype(jnp.float32)) * np.repeat(np.asarray(scales.astype(jnp.float32)), block, axis=1)


# Steps that follow each other, each with a part of the terms.


def scaled(x, y, x_scales, y_scales, steps, swizzle):
  block = BLOCKS[x_scales.dtype.name]
  terms, columns = x.shape[1] // steps, y.shape[0]
  count = terms // block

  def kernel(x_gmem, y_gmem, xs_gmem, ys_gmem, o_gmem, x_smem, y_smem, xs_smem, ys_smem, o_smem, here, done, acc, xs, ys):
    for step in range(steps):
      part, fours = pl.ds(step * terms, terms), pl.ds(step * count // 4, count // 4)
      plgpu.copy_gmem_to_smem(x_gmem.at[:, part], x_smem.at[step], here.at[step])
      plgpu.copy_gmem_to_smem(y_gmem.at[:, part], y_smem.at[step], here.at[step])
      plgpu.copy_gmem_to_smem(xs_gmem.at[:, fours], xs_smem.at[step], here.at[step])
      plgpu.copy_gmem_to_smem(ys_gmem.at[:, fours], ys_smem.at[step], here.at[step])
    for step in range(steps):
      plgpu.barrier_wait(here.at[step])
      plgpu.async_copy_scales_to_tmem(xs_smem.at[step], xs)
      plgpu.async_copy_scales_to_tmem(ys_smem.at[step], ys)
      right = plgpu.transpose_ref(y_smem.at[step], (1, 0))
      plgpu.tcgen05_mma(acc, x_smem.at[step], right, a_scale=xs, b_scale=ys, accumulate=step > 0)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    for first in range(0, columns, 64):
      part = pl.ds(first, 64)
      o_smem[:, part] = plgpu.async_load_tmem(acc.at[:, part])
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)

  tiles = (-(-columns // 128), count // 4, 32, 16)
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((ROWS, columns), jnp.float32),
      scratch_types=[
          plgpu.SMEM((steps, ROWS, terms), x.dtype, transforms=panels(swizzle)),
          plgpu.SMEM((steps, columns, terms), y.dtype, transforms=panels(swizzle)),
          plgpu.SMEM((steps, 1, count // 4, 32, 16), x_scales.dtype),
          plgpu.SMEM((steps, *tiles), y_scales.dtype),
          plgpu.SMEM((ROWS, columns), jnp.float32),
          plgpu.Barrier(num_arrivals=4, num_barriers=steps),
          plgpu.Barrier(orders_tensor_core=True),
          plgpu.TMEM((ROWS, columns), jnp.float32),
          plgpu.TMEM((ROWS, count), x_scales.dtype, layout=SCALES),
          plgpu.TMEM((tiles[0] * 128, count), y_scales.dtype, layout=SCALES),
      ],
      grid=(),
      grid_names=(),
      interpret=InterpretGPUParams(),
  )(x, y, in_tiles(x_scales), in_tiles(y_scales))


# Two blocks of a cluster: each has the scales of its rows, and both those of all columns.


def scaled_pair(x, y, x_scales, y_scales):
  block = BLOCKS[x_scales.dtype.name]
  (rows, terms), columns, count = x.shape, y.shape[0], x.shape[1] // block

  def kernel(x_gmem, y_gmem, xs_gmem, ys_gmem, o_gmem, x_smem, y_smem, xs_smem, ys_smem, o_smem, here, done, acc, xs, ys):
    rank, warp = lax.axis_index("cluster"), lambda number: lax.axis_index("warp") == number
    each, all_of_it = plgpu.CopyPartition.PARTITIONED(0), plgpu.CopyPartition.REPLICATED

    @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
    def _():
      @pl.when(warp(0))
      def _():
        for source, target, how in (
            (x_gmem, x_smem, each), (y_gmem, y_smem, each), (xs_gmem, xs_smem, each), (ys_gmem, ys_smem, all_of_it)
        ):
          plgpu.copy_gmem_to_smem(source, target, here, collective_axes="cluster", leader_tracked=how)

      @pl.when(jnp.logical_and(warp(1), rank == 0))
      def _():
        plgpu.barrier_wait(here)
        plgpu.async_copy_scales_to_tmem(xs_smem, xs, collective_axis="cluster")
        plgpu.async_copy_scales_to_tmem(ys_smem, ys, collective_axis="cluster")
        right = plgpu.transpose_ref(y_smem, (1, 0))
        plgpu.tcgen05_mma(acc, x_smem, right, a_scale=xs, b_scale=ys, accumulate=False, collective_axis="cluster")
        plgpu.tcgen05_commit_arrive(done, collective_axis="cluster")

    plgpu.barrier_wait(done)
    for first in range(0, columns, 64):
      part = pl.ds(first, 64)
      o_smem[:, part] = plgpu.async_load_tmem(acc.at[:, part])
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(rank * ROWS, ROWS), :])
    plgpu.wait_smem_to_gmem(0)

  tiles = (-(-columns // 128), count // 4, 32, 16)
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((rows, columns), jnp.float32),
      scratch_types=[
          plgpu.SMEM((ROWS, terms), x.dtype, transforms=panels(128)),
          plgpu.SMEM((columns // 2, terms), y.dtype, transforms=panels(128)),
          plgpu.SMEM((1, *tiles[1:]), x_scales.dtype),
          plgpu.SMEM(tiles, y_scales.dtype),
          plgpu.SMEM((ROWS, columns), jnp.float32),
          plgpu.Barrier(num_arrivals=4),
          plgpu.Barrier(orders_tensor_core=True),
          plgpu.TMEM((ROWS, columns), jnp.float32, collective=True),
          plgpu.TMEM((ROWS, count), x_scales.dtype, layout=SCALES),
          plgpu.TMEM((tiles[0] * 128, count), y_scales.dtype, layout=SCALES),
      ],
      grid=(),
      grid_names=(),
      cluster=(2,),
      cluster_names=("cluster",),
      interpret=InterpretGPUParams(),
  )(x, y, in_tiles(x_scales), in_tiles(y_scales))


def check(found, x, y, x_scales, y_scales, block):
  np.testing.assert_array_equal(np.asarray(found), spread(x, x_scales, block) @ spread(y, y_scales[:y.shape[0]], block).T)


for dtype, block in BLOCKS.items():
  x, y = floats(2 * ROWS, 256, 3), floats(128, 256, 5)
  x_scales, y_scales = made_scales(dtype, 2 * ROWS, 256 // block), made_scales(dtype, 128, 256 // block)
  check(scaled_pair(x, y, x_scales, y_scales), x, y, x_scales, y_scales, block)
  for columns, terms, steps, swizzle in ((64, 256, 1, 128), (256, 256, 1, 64), (128, 512, 2, 128), (128, 128, 1, 32)):
    x, y = floats(ROWS, terms, 3), floats(columns, terms, 5)
    x_scales = made_scales(dtype, ROWS, terms // block)
    y_scales = made_scales(dtype, -(-columns // 128) * 128, terms // block)
    check(scaled(x, y, x_scales, y_scales, steps, swizzle), x, y, x_scales, y_scales, block)
print("10 scaled products of floats of four bits")

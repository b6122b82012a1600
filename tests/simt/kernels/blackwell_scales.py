"""Products into tensor memory of factors that are scaled block by block (mxfp8), and copies from shared to tensor memory.

Small whole numbers and powers of two make every sum exact. JAX 0.10.2 runs these kernels on a GPU only; they are compared with plain
products.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS, BLOCK = 128, 32
SCALES = plgpu.TMEMLayout.SCALES_LAYOUT


def panels(dtype, swizzle=64):
  return plgpu.TilingTransform((8, swizzle // jnp.dtype(dtype).itemsize)), plgpu.SwizzleTransform(swizzle)


def in_tiles(scales):
  rows, count = scales.shape
  apart = scales.reshape(rows // 128, 4, 32, count // 4, 4)
  return apart.transpose(0, 3, 2, 1, 4).reshape(rows // 128, count // 4, 32, 16)


def powers(rows, count):
  exponents = (np.arange(rows * count) * 5 % 7 + 124).astype(np.uint8).reshape(rows, count)
  return lax.bitcast_convert_type(jnp.asarray(exponents), jnp.float8_e8m0fnu)


def small(*shape, dtype):
  return jnp.asarray((np.arange(np.prod(shape)) * 3 % 7 - 3).reshape(shape), dtype)


def spread(factor, scales):
  return np.asarray(factor, np.float32) * np.repeat(np.asarray(scales.astype(jnp.float32)), BLOCK, axis=1)


# The same scales for steps that follow each other: copied to one place again and again, in turn with the products.


def scaled(x, y, x_scales, y_scales, steps):
  terms = x.shape[1] // steps
  count, columns = terms // BLOCK, y.shape[0]

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
          plgpu.SMEM((steps, ROWS, terms), x.dtype, transforms=panels(x.dtype)),
          plgpu.SMEM((steps, columns, terms), y.dtype, transforms=panels(y.dtype)),
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


for dtype, columns, terms, steps in (
    (jnp.float8_e4m3fn, 64, 128, 1),
    (jnp.float8_e5m2, 128, 256, 1),
    (jnp.float8_e4m3fn, 256, 128, 1),
    (jnp.float8_e4m3fn, 128, 256, 2),
):
  x, y = small(ROWS, terms, dtype=dtype), small(columns, terms, dtype=dtype)
  x_scales, y_scales = powers(ROWS, terms // BLOCK), powers(-(-columns // 128) * 128, terms // BLOCK)
  found = scaled(x, y, x_scales, y_scales, steps)
  np.testing.assert_array_equal(np.asarray(found), spread(x, x_scales) @ spread(y, y_scales[:columns]).T)


# Two blocks of a cluster: each has the scales of its rows, and both those of all columns.


def scaled_pair(x, y, x_scales, y_scales):
  (rows, terms), columns, count = x.shape, y.shape[0], x.shape[1] // BLOCK

  def kernel(x_gmem, y_gmem, xs_gmem, ys_gmem, o_gmem, x_smem, y_smem, xs_smem, ys_smem, o_smem, here, done, acc, xs, ys):
    block, warp = lax.axis_index("cluster"), lambda number: lax.axis_index("warp") == number
    each, all_of_it = plgpu.CopyPartition.PARTITIONED(0), plgpu.CopyPartition.REPLICATED

    @pl.core_map(plgpu.WarpMesh(axis_name="warp"))
    def _():
      @pl.when(warp(0))
      def _():
        for source, target, how in (
            (x_gmem, x_smem, each), (y_gmem, y_smem, each), (xs_gmem, xs_smem, each), (ys_gmem, ys_smem, all_of_it)
        ):
          plgpu.copy_gmem_to_smem(source, target, here, collective_axes="cluster", leader_tracked=how)

      @pl.when(jnp.logical_and(warp(1), block == 0))
      def _():
        plgpu.barrier_wait(here)
        plgpu.async_copy_scales_to_tmem(xs_smem, xs, collective_axis="cluster")
        plgpu.async_copy_scales_to_tmem(ys_smem, ys, collective_axis="cluster")
        right = plgpu.transpose_ref(y_smem, (1, 0))
        plgpu.tcgen05_mma(
            acc, x_smem, right, a_scale=xs, b_scale=ys, accumulate=False, collective_axis="cluster"
        )
        plgpu.tcgen05_commit_arrive(done, collective_axis="cluster")

    plgpu.barrier_wait(done)
    for first in range(0, columns, 64):
      part = pl.ds(first, 64)
      o_smem[:, part] = plgpu.async_load_tmem(acc.at[:, part])
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem.at[pl.ds(block * ROWS, ROWS), :])
    plgpu.wait_smem_to_gmem(0)

  tiles = (-(-columns // 128), count // 4, 32, 16)
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((rows, columns), jnp.float32),
      scratch_types=[
          plgpu.SMEM((ROWS, terms), x.dtype, transforms=panels(x.dtype)),
          plgpu.SMEM((columns // 2, terms), y.dtype, transforms=panels(y.dtype)),
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


for columns in (128, 256):
  x, y = small(2 * ROWS, 128, dtype=jnp.float8_e4m3fn), small(columns, 128, dtype=jnp.float8_e4m3fn)
  x_scales, y_scales = powers(2 * ROWS, 4), powers(columns, 4)
  found = scaled_pair(x, y, x_scales, y_scales)
  np.testing.assert_array_equal(np.asarray(found), spread(x, x_scales) @ spread(y, y_scales).T)


# A left factor that a copy brings to tensor memory, which then is one of a product there.


def brought(a, b):
  (rows, terms), columns = a.shape, b.shape[1]

  def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, arrived, done, acc, left):
    plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
    plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
    plgpu.barrier_wait(arrived)
    plgpu.async_copy_smem_to_tmem(a_smem, left)
    plgpu.tcgen05_mma(acc, left, b_smem, done, accumulate=False)
    plgpu.barrier_wait(done)
    o_smem[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)

  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((rows, columns), jnp.float32),
      scratch_types=[
          plgpu.SMEM(a.shape, a.dtype, transforms=panels(a.dtype)),
          plgpu.SMEM(b.shape, b.dtype, transforms=panels(b.dtype)),
          plgpu.SMEM((rows, columns), jnp.float32),
          plgpu.Barrier(num_arrivals=2),
          plgpu.Barrier(orders_tensor_core=True),
          plgpu.TMEM((rows, columns), jnp.float32),
          plgpu.TMEM(a.shape, a.dtype, packed=True),
      ],
      grid=(),
      grid_names=(),
      interpret=InterpretGPUParams(),
  )(a, b)


# What a copy brings, as it is.


def copied(x):
  def kernel(x_gmem, o_gmem, x_smem, arrived, done, lanes):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, arrived)
    plgpu.barrier_wait(arrived)
    plgpu.async_copy_smem_to_tmem(x_smem, lanes)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    o_gmem[...] = plgpu.async_load_tmem(lanes) + 1
    plgpu.wait_load_tmem()

  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct(x.shape, x.dtype),
      scratch_types=[
          plgpu.SMEM(x.shape, x.dtype, transforms=panels(x.dtype, 128)),
          plgpu.Barrier(),
          plgpu.Barrier(orders_tensor_core=True),
          plgpu.TMEM(x.shape, x.dtype),
      ],
      grid=(),
      grid_names=(),
      interpret=InterpretGPUParams(),
  )(x)


for dtype in (jnp.float16, jnp.bfloat16):
  a, b = small(ROWS, 64, dtype=dtype), small(64, 32, dtype=dtype)
  np.testing.assert_array_equal(np.asarray(brought(a, b)), np.asarray(a, np.float32) @ np.asarray(b, np.float32))
x = jnp.arange(ROWS * 64, dtype=jnp.float32).reshape(ROWS, 64)
np.testing.assert_array_equal(np.asarray(copied(x)), np.asarray(x) + 1)
print("6 scaled products, 3 copies to tensor memory")

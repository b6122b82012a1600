"""Products into tensor memory whose left factor has two of every four terms, and says beside which.

Small whole numbers make every sum exact. JAX 0.10.2 runs these kernels on a GPU only; they are compared with plain products.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS = 128
PLACES = plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT


def panels(dtype, swizzle):
  return plgpu.TilingTransform((8, swizzle // jnp.dtype(dtype).itemsize)), plgpu.SwizzleTransform(swizzle)


def small(*shape, dtype):
  return jnp.asarray((np.arange(np.prod(shape)) * 3 % 7 - 3).reshape(shape), dtype)


def pairs(rows, count):
  all_pairs = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])
  return all_pairs[(np.arange(rows * count) * 5 % 11 % 6).reshape(rows, count)]


def dense(factor, places):
  rows, groups, _ = places.shape
  spread = np.zeros((rows, groups, 4), np.float32)
  np.put_along_axis(spread, places, np.asarray(factor, np.float32).reshape(places.shape), axis=-1)
  return spread.reshape(rows, groups * 4)


# Places for steps that follow each other: copied to one place again and again, in turn with the products.


def sparse(x, y, metadata, steps):
  terms, columns = y.shape[1] // steps, y.shape[0]
  kept, tiles = terms // 2, terms // 128

  def kernel(x_gmem, y_gmem, places_gmem, o_gmem, x_smem, y_smem, places_smem, o_smem, here, done, acc, places):
    for step in range(steps):
      plgpu.copy_gmem_to_smem(x_gmem.at[:, pl.ds(step * kept, kept)], x_smem.at[step], here.at[step])
      plgpu.copy_gmem_to_smem(y_gmem.at[:, pl.ds(step * terms, terms)], y_smem.at[step], here.at[step])
      plgpu.copy_gmem_to_smem(places_gmem.at[:, pl.ds(step * tiles, tiles)], places_smem.at[step], here.at[step])
    for step in range(steps):
      plgpu.barrier_wait(here.at[step])
      plgpu.async_copy_sparse_metadata_to_tmem(places_smem.at[step], places)
      right = plgpu.transpose_ref(y_smem.at[step], (1, 0))
      plgpu.tcgen05_mma(acc, x_smem.at[step], right, a_sparse_metadata=places, accumulate=step > 0)
    plgpu.tcgen05_commit_arrive(done)
    plgpu.barrier_wait(done)
    o_smem[...] = plgpu.async_load_tmem(acc)
    plgpu.wait_load_tmem()
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(o_smem, o_gmem)
    plgpu.wait_smem_to_gmem(0)

  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((ROWS, columns), jnp.float32),
      scratch_types=[
          plgpu.SMEM((steps, ROWS, kept), x.dtype, transforms=panels(x.dtype, 64)),
          plgpu.SMEM((steps, columns, terms), y.dtype, transforms=panels(y.dtype, 128)),
          plgpu.SMEM((steps, 1, tiles, ROWS, 64), metadata.dtype),
          plgpu.SMEM((ROWS, columns), jnp.float32),
          plgpu.Barrier(num_arrivals=3, num_barriers=steps),
          plgpu.Barrier(orders_tensor_core=True),
          plgpu.TMEM((ROWS, columns), jnp.float32),
          plgpu.TMEM((ROWS, kept), metadata.dtype, layout=PLACES),
      ],
      grid=(),
      grid_names=(),
      interpret=InterpretGPUParams(),
  )(x, y, metadata)


for dtype, columns, terms, steps in (
    (jnp.float16, 64, 128, 1),
    (jnp.bfloat16, 32, 256, 1),
    (jnp.float8_e4m3fn, 128, 128, 1),
    (jnp.float8_e5m2, 64, 256, 1),
    (jnp.float16, 64, 256, 2),
):
  x, y = small(ROWS, terms // 2, dtype=dtype), small(columns, terms, dtype=dtype)
  places = pairs(ROWS, terms // 4)
  metadata = plgpu.format_tcgen05_sparse_metadata(jnp.asarray(places).astype(jnp.uint2), dtype)
  found = sparse(x, y, metadata, steps)
  np.testing.assert_array_equal(np.asarray(found), dense(x, places) @ np.asarray(y, np.float32).T)
print("5 sparse products")

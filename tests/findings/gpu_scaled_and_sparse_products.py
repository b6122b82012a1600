# Products into tensor memory with scales, and with a left factor of which every four elements have two: against plain ones.
# jax: not run
# found by a run
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental.pallas import mosaic_gpu as plgpu

M, N, K, BLOCK = 128, 128, 256, 32


def scaled(x, y, x_scales, y_scales):
    def kernel(x_gmem, y_gmem, xs_gmem, ys_gmem, o_gmem, x_smem, y_smem, xs_smem, ys_smem, here, done, acc, xs, ys):
        for source, target in ((x_gmem, x_smem), (y_gmem, y_smem), (xs_gmem, xs_smem), (ys_gmem, ys_smem)):
            plgpu.copy_gmem_to_smem(source, target, here)
        plgpu.barrier_wait(here)
        plgpu.async_copy_scales_to_tmem(xs_smem, xs)
        plgpu.async_copy_scales_to_tmem(ys_smem, ys)
        plgpu.tcgen05_mma(
            acc, x_smem, plgpu.transpose_ref(y_smem, (1, 0)), done, a_scale=xs, b_scale=ys, accumulate=False
        )
        plgpu.barrier_wait(done)
        o_gmem[...] = plgpu.async_load_tmem(acc)

    layout = plgpu.TMEMLayout.SCALES_LAYOUT
    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((M, N), jnp.float32),
        scratch_types=[
            *(plgpu.SMEM(a.shape, a.dtype) for a in (x, y, x_scales, y_scales)),
            plgpu.Barrier(num_arrivals=4),
            plgpu.Barrier(orders_tensor_core=True),
            plgpu.TMEM((M, N), jnp.float32),
            plgpu.TMEM((M, K // BLOCK), x_scales.dtype, layout=layout),
            plgpu.TMEM((N, K // BLOCK), y_scales.dtype, layout=layout),
        ],
        interpret=InterpretGPUParams(),
    )(x, y, x_scales, y_scales)


def in_tiles(scales):
    rows, columns = scales.shape
    apart = scales.reshape(rows // 128, 4, 32, columns // 4, 4)
    return apart.transpose(0, 3, 2, 1, 4).reshape(rows // 128, columns // 4, 32, 16)


def powers(seed, rows):
    exponents = jax.random.randint(jax.random.key(seed), (rows, K // BLOCK), 122, 132, dtype=jnp.uint8)
    return lax.bitcast_convert_type(exponents, jnp.float8_e8m0fnu)


for dtype in (jnp.float8_e5m2, jnp.float8_e4m3fn, jnp.float4_e2m1fn):
    x = jax.random.uniform(jax.random.key(1), (M, K), jnp.float32).astype(dtype)
    y = jax.random.uniform(jax.random.key(2), (N, K), jnp.float32).astype(dtype)
    x_scales, y_scales = powers(3, M), powers(4, N)
    result = scaled(x, y, in_tiles(x_scales), in_tiles(y_scales))
    wide = lambda a, scales: a.astype(jnp.float32) * jnp.repeat(scales, BLOCK, axis=1).astype(jnp.float32)
    np.testing.assert_allclose(result, wide(x, x_scales) @ wide(y, y_scales).T, rtol=1e-5)


def sparse(x, y, metadata):
    def kernel(x_gmem, y_gmem, meta_gmem, o_gmem, x_smem, y_smem, meta_smem, here, done, acc, meta):
        for source, target in ((x_gmem, x_smem), (y_gmem, y_smem), (meta_gmem, meta_smem)):
            plgpu.copy_gmem_to_smem(source, target, here)
        plgpu.barrier_wait(here)
        plgpu.async_copy_sparse_metadata_to_tmem(meta_smem, meta)
        plgpu.tcgen05_mma(acc, x_smem, plgpu.transpose_ref(y_smem, (1, 0)), done, a_sparse_metadata=meta, accumulate=False)
        plgpu.barrier_wait(done)
        o_gmem[...] = plgpu.async_load_tmem(acc)

    return plgpu.kernel(
        kernel,
        out_type=jax.ShapeDtypeStruct((M, N), jnp.float32),
        scratch_types=[
            *(plgpu.SMEM(a.shape, a.dtype) for a in (x, y, metadata)),
            plgpu.Barrier(num_arrivals=3),
            plgpu.Barrier(orders_tensor_core=True),
            plgpu.TMEM((M, N), jnp.float32),
            plgpu.TMEM((M, K // 2), jnp.uint2, layout=plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT),
        ],
        interpret=InterpretGPUParams(),
    )(x, y, metadata)


pairs = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)])
for dtype in (jnp.float16, jnp.float8_e5m2):
    x = jax.random.uniform(jax.random.key(5), (M, K // 2), jnp.float32).astype(dtype)
    y = jax.random.uniform(jax.random.key(6), (N, K), jnp.float32).astype(dtype)
    places = pairs[np.asarray(jax.random.randint(jax.random.key(7), (M, K // 4), 0, 6))]
    result = sparse(x, y, plgpu.format_tcgen05_sparse_metadata(jnp.asarray(places).astype(jnp.uint2), dtype))
    dense = np.zeros((M, K // 4, 4), np.float32)
    np.put_along_axis(dense, places, np.asarray(x.astype(jnp.float32)).reshape(places.shape), axis=-1)
    np.testing.assert_allclose(result, dense.reshape(M, K) @ y.astype(jnp.float32).T, rtol=1e-5)
print("as plain products")

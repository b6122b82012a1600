"""Mosaic GPU kernels by what is asked of them: tests/goldens/gpu_lowering.py exports them with JAX, tests/tests/gpu_lowering.rs
analyses them. Each function gives a launch and the types of its arguments.
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def of(shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def laid(tiles=None, swizzle=None):
    """Transforms."""
    return (() if tiles is None else (plgpu.TilingTransform(tiles),)) + (
        () if swizzle is None else (plgpu.SwizzleTransform(swizzle),)
    )


def copy_in(array, part=None, dtype=jnp.float32, layout=(), index=None):
    def kernel(x_gmem, o_gmem, x_smem, arrived):
        source = x_gmem if index is None else x_gmem.at[index]
        plgpu.copy_gmem_to_smem(source, x_smem, arrived)
        plgpu.barrier_wait(arrived)

    scratch = [plgpu.SMEM(part or array, dtype, transforms=layout), plgpu.Barrier()]
    return plgpu.kernel(kernel, out_type=of((128,)), scratch_types=scratch), of(array, dtype)


def copy_out(array, dtype=jnp.float32, layout=()):
    def kernel(o_gmem, o_smem):
        plgpu.copy_smem_to_gmem(o_smem, o_gmem)
        plgpu.wait_smem_to_gmem(0)

    scratch = [plgpu.SMEM(array, dtype, transforms=layout)]
    return (plgpu.kernel(kernel, out_type=of(array, dtype), scratch_types=scratch),)


def memory(shape, dtype, layout):
    """Memory that nobody uses."""

    def kernel(o_gmem, smem):
        pass

    scratch = [plgpu.SMEM(shape, dtype, transforms=layout)]
    return (plgpu.kernel(kernel, out_type=of((128,)), scratch_types=scratch),)


def part(start, size, layout):
    """A part of memory that is laid out."""

    def kernel(x_gmem, o_gmem, x_smem, arrived):
        plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(0, size)], x_smem.at[pl.ds(start, size)], arrived)
        plgpu.barrier_wait(arrived)

    scratch = [plgpu.SMEM((64, 64), jnp.float16, transforms=layout), plgpu.Barrier()]
    return plgpu.kernel(kernel, out_type=of((128,)), scratch_types=scratch), of((64, 64), jnp.float16)


def accumulator(shape, dtype=jnp.float32):
    def kernel(o_gmem):
        pl.run_scoped(lambda acc: acc[...], plgpu.ACC(shape, dtype))

    return (plgpu.kernel(kernel, out_type=of((128,))),)


def wgmma(m, n, k, dtype=jnp.float16, left=None, right=None, acc=jnp.float32, turned=(False, False)):
    """A product; `turned` factors lie in memory the other way."""
    left = laid((8, 64), 128) if left is None else left
    right = laid((8, 64), 128) if right is None else right

    def kernel(o_gmem, a_smem, b_smem):
        def body(acc):
            a = plgpu.transpose_ref(a_smem, (1, 0)) if turned[0] else a_smem
            b = plgpu.transpose_ref(b_smem, (1, 0)) if turned[1] else b_smem
            plgpu.wgmma(acc, a, b)
            return acc[...]

        pl.run_scoped(body, plgpu.ACC((m, n), acc))

    scratch = [
        plgpu.SMEM((k, m) if turned[0] else (m, k), dtype, transforms=left),
        plgpu.SMEM((n, k) if turned[1] else (k, n), dtype, transforms=right),
    ]
    return (plgpu.kernel(kernel, out_type=of((128,)), scratch_types=scratch),)


def tcgen05(m, n, k, dtype=jnp.float16, acc=jnp.float32, swizzle=128, left=None):
    width = 8 * swizzle // jnp.finfo(dtype).bits if jnp.issubdtype(dtype, jnp.floating) else 8 * swizzle // jnp.iinfo(dtype).bits
    layout = laid((8, width), swizzle)

    def kernel(o_gmem, a_smem, b_smem, acc_tmem, done):
        plgpu.tcgen05_mma(acc_tmem, a_smem, plgpu.transpose_ref(b_smem, (1, 0)), done, accumulate=False)
        plgpu.barrier_wait(done)

    scratch = [
        plgpu.SMEM((m, k), dtype, transforms=layout if left is None else left),
        plgpu.SMEM((n, k), dtype, transforms=layout),
        plgpu.TMEM((m, n), acc),
        plgpu.Barrier(orders_tensor_core=True),
    ]
    return (plgpu.kernel(kernel, out_type=of((128,)), scratch_types=scratch),)

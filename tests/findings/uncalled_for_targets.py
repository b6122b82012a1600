# Functions that nobody calls, whose kernels their target does not take, whatever they are called with.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plt


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def by_seven_rows(x: jax.Array):
    """x: [m, n]"""
    m, n = x.shape
    block = pl.BlockSpec((7, 128), lambda i, j: (i, j))
#                        ^ PL501 warning "neither a multiple of 8"
    return pl.pallas_call(
        copy,
        grid=(pl.cdiv(m, 7), pl.cdiv(n, 128)),
        in_specs=[block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        compiler_params=pltpu.CompilerParams(),
    )(x)


def copy_in_triton(x_ref, o_ref):
    o_ref[...] = x_ref[...]
#                ^ PL503 warning "powers of two: this has 96 elements"
#   ^ PL503 warning "powers of two: this has 96 elements"


def by_ninety_six(x: jax.Array):
    """x: [n]"""
    (n,) = x.shape
    block = pl.BlockSpec((96,), lambda i: (i,))
    return pl.pallas_call(
        copy_in_triton,
        grid=(pl.cdiv(n, 96),),
        in_specs=[block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        compiler_params=plt.CompilerParams(),
    )(x)


def running_sums(x_ref, o_ref):
    o_ref[...] = jnp.cumsum(x_ref[...], axis=1)
#                ^ PL504 error "has no `cumsum`"


def sums_on_a_tpu(x: jax.Array):
    """x: [m, n]"""
    return pl.pallas_call(
        running_sums, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), compiler_params=pltpu.CompilerParams()
    )(x)


def reports(x_ref, o_ref):
    pl.debug_print("{} of {}", pl.program_id(0))
#   ^ PL505 error "this format has 2 fields, and there is 1 value"
    o_ref[...] = x_ref[...]


def that_prints(x: jax.Array):
    return pl.pallas_call(reports, grid=(1,), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def rounded(x_ref, o_ref):
    product = jnp.dot(x_ref[...].astype(jnp.bfloat16), x_ref[...].astype(jnp.bfloat16).T)
#             ^ PL205 warning "is rounded to bfloat16"
    o_ref[...] = jnp.zeros_like(o_ref)
    o_ref[...] += product


def sums_of_products(x: jax.Array):
    """x: [m, n]"""
    m, n = x.shape
    return pl.pallas_call(rounded, out_shape=jax.ShapeDtypeStruct((m, m), jnp.float32))(x)


def total(x_ref, o_ref):
    o_ref[...] = jnp.sum(x_ref[...], axis=0, keepdims=True)
#                        ^ PL204 warning "past the end"


def sums_of_partial_blocks(x: jax.Array):
    """x: [m, n]"""
    m, n = x.shape
    return pl.pallas_call(
        total,
        grid=(pl.cdiv(m, 96),),
        in_specs=[pl.BlockSpec((96, n), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((1, n), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((pl.cdiv(m, 96), n), x.dtype),
    )(x)


def no_programs(x: jax.Array):
    return pl.pallas_call(copy, grid=(0,), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)
#                                    ^ PL123 warning "grid"


def fetch(x_gmem, x_smem, arrived):
    plgpu.copy_gmem_to_smem(x_gmem.at[pl.ds(0, 100)], x_smem, arrived)
#   ^ PL506 warning "400 bytes"
    plgpu.barrier_wait(arrived)


def hundred_elements(x: jax.Array):
    """x: float32[n]"""
    scratch = [plgpu.SMEM((100,), jnp.float32), plgpu.Barrier()]
    return plgpu.kernel(fetch, scratch_types=scratch)(x.astype(jnp.float32))


def lays_out(smem):
    pass


def rows_of_sixty(x: jax.Array):
    layout = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    return plgpu.kernel(lambda x_gmem, smem: None, scratch_types=[plgpu.SMEM((60, 64), jnp.float16, transforms=layout)])(x)
#          ^ PL507 warning "tiles of 8 do not divide dimension 0"


def thirty_two_rows(x_gmem):
    pl.run_scoped(lambda acc: None, plgpu.ACC((32, 64)))
#   ^ PL508 warning "a multiple of 64 rows"


def small_accumulator(x: jax.Array):
    return plgpu.kernel(thirty_two_rows)(x)

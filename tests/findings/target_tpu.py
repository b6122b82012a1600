# What a TPU v5e takes. Interpret mode takes all of it.
# jax: runs
# target: tpu-v5e
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x, spec, **more):
    grid = tuple(pl.cdiv(n, b) for n, b in zip(x.shape, spec.block_shape))
    pl.pallas_call(copy, grid=grid, in_specs=[spec], out_specs=spec, out_shape=x, interpret=True, **more)(x)


x = jnp.ones((64, 256))
launch(x, pl.BlockSpec((4, 128), lambda i, j: (i, j)))
#                      ^ PL501 error "4 along dimension 0 is neither a multiple of 8 nor all 64"
launch(x, pl.BlockSpec((8, 64), lambda i, j: (i, j)))
#                      ^ PL501 error "the next that it takes is 128"
launch(x, pl.BlockSpec((8, 128), lambda i, j: (i, j)))
launch(x[:4, :100], pl.BlockSpec((4, 100), lambda i, j: (i, j)))
v = jnp.ones((4096,))
launch(v, pl.BlockSpec((64,), lambda i: (i,)))
#                      ^ PL501 error "64 is neither all 4096 nor a multiple of 1024 nor a power of two of at least 128"
launch(v, pl.BlockSpec((128,), lambda i: (i,)))
launch(v.astype(jnp.bfloat16), pl.BlockSpec((128,), lambda i: (i,)))
#                                           ^ PL501 error "a power of two of at least 256"


# Blocks with two buffers each, and scratch memory.
def with_scratch(x_ref, o_ref, scratch_ref):
    scratch_ref[...] = jnp.zeros_like(scratch_ref)
    o_ref[...] = x_ref[...] + scratch_ref[0, 0]


def large(rows, scratch, **params):
    large_x = jnp.zeros((2 * rows, 1024))
    spec = pl.BlockSpec((rows, 1024), lambda i: (i, 0))
    pl.pallas_call(
#   ^ PL502 warning "this launch needs 17 MiB of vector memory (VMEM), the compiler allows by default 16 MiB"
        with_scratch,
        grid=(2,),
        in_specs=[spec],
        out_specs=spec,
        out_shape=large_x,
        scratch_shapes=[pltpu.VMEM((scratch, 1024), jnp.float32)],
        interpret=True,
        compiler_params=pltpu.CompilerParams(**params),
    )(large_x)


large(1024, 256)
large(1024, 256, vmem_limit_bytes=20 * 2**20)
large(512, 256)


# More than the chip has, whatever is allowed.
pl.pallas_call(
#^ PL502 error "the chip has 128 MiB"
    with_scratch,
    out_shape=x,
    scratch_shapes=[pltpu.VMEM((32768, 1024), jnp.float32)],
    interpret=True,
    compiler_params=pltpu.CompilerParams(vmem_limit_bytes=120 * 2**20),
)(x)

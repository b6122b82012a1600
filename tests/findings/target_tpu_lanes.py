# Mosaic wants to see that a computed place along the last dimension is a multiple of 128.
# jax: not run
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.ones((8, 512))
half = jax.ShapeDtypeStruct((8, 64), jnp.float32)


def parts(x_ref, o_ref):
    at = pl.program_id(0) * 64
    o_ref[...] = x_ref[:, pl.ds(at, 64)]
#                ^ PL504 error "program (1,): position 64 along dimension 1 of x_ref"


whole = pl.BlockSpec((8, 512), lambda i: (0, 0))
out = pl.BlockSpec((1, 8, 64), lambda i: (i, 0, 0))
stacked = jax.ShapeDtypeStruct((8, 8, 64), jnp.float32)


def one_of(x_ref, o_ref):
    parts(x_ref, o_ref.at[0])


pl.pallas_call(one_of, grid=(8,), in_specs=[whole], out_specs=out, out_shape=stacked, compiler_params=pltpu.CompilerParams(dimension_semantics=("arbitrary",)))(x)


def columns(x_ref, o_ref):
    def body(i, total):
        return total + x_ref[:, i]
#                      ^ PL504 error "loop counter 1: position 1 along dimension 1 of x_ref"

    o_ref[:, 0] = lax.fori_loop(0, 512, body, jnp.zeros(8))


pl.pallas_call(columns, out_shape=jax.ShapeDtypeStruct((8, 1), jnp.float32), compiler_params=pltpu.CompilerParams(vmem_limit_bytes=1 << 24))(x)


def tiles(x_ref, o_ref):
    def body(i, total):
        return total + x_ref[:, pl.ds(i * 128, 128)]

    o_ref[...] = lax.fori_loop(0, 4, body, jnp.zeros((8, 128)))


pl.pallas_call(tiles, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), compiler_params=pltpu.CompilerParams(vmem_limit_bytes=1 << 24))(x)


def known(x_ref, o_ref):
    o_ref[...] = x_ref[:, 64:128]


pl.pallas_call(known, out_shape=half, compiler_params=pltpu.CompilerParams(vmem_limit_bytes=1 << 24))(x)

# Nobody calls these functions: a sum of blocks that is overwritten, a seed that every program has, and no seed.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def gradient_kernel(x_ref, g_ref, dw_ref):
    dw_ref[...] = jnp.sum(x_ref[...] * g_ref[...], axis=0, keepdims=True)
#   ^ PL132 warning "each program along grid axis 0 overwrites in dw_ref"


def gradient(x, g, block=128):
    rows, columns = x.shape
    spec = pl.BlockSpec((block, columns), lambda i: (i, 0))
    return pl.pallas_call(gradient_kernel, grid=(pl.cdiv(rows, block),), in_specs=[spec, spec],
        out_specs=pl.BlockSpec((1, columns), lambda i: (0, 0)), out_shape=jax.ShapeDtypeStruct((1, columns), x.dtype))(x, g)


def dropout_kernel(x_ref, o_ref):
    pltpu.prng_seed(0)
#   ^ PL207 warning "every program draws the same random numbers"
    bits = pltpu.bitcast(pltpu.prng_random_bits(x_ref.shape), jnp.uint32)
    o_ref[...] = jnp.where(bits > jnp.uint32(2**31), x_ref[...], 0.0)


def dropout(x, block=128):
    rows, columns = x.shape
    spec = pl.BlockSpec((block, columns), lambda i: (i, 0))
    return pl.pallas_call(dropout_kernel, grid=(pl.cdiv(rows, block),), in_specs=[spec], out_specs=spec, out_shape=x)(x)


def noise_kernel(x_ref, o_ref):
    bits = pltpu.bitcast(pltpu.prng_random_bits(x_ref.shape), jnp.uint32)
#                        ^ PL208 warning "from a generator that this kernel has not seeded"
    o_ref[...] = x_ref[...] + bits.astype(jnp.float32) * 2.0**-32


def noise(x, block=128):
    rows, columns = x.shape
    spec = pl.BlockSpec((block, columns), lambda i: (i, 0))
    return pl.pallas_call(noise_kernel, grid=(pl.cdiv(rows, block),), in_specs=[spec], out_specs=spec, out_shape=x)(x)

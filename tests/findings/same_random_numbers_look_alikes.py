# Random numbers that differ from program to program, or that are meant to be the same.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def mask(x_ref, o_ref):
    bits = pltpu.bitcast(pltpu.prng_random_bits(x_ref.shape), jnp.uint32)
    o_ref[...] = jnp.where(bits > jnp.uint32(2**31), x_ref[...], 0.0)


def with_the_program(seed_ref, x_ref, o_ref):
    pltpu.prng_seed(seed_ref[0], pl.program_id(0))
    mask(x_ref, o_ref)


# A seed for each program.
def seeds(seed_ref, x_ref, o_ref):
    pltpu.prng_seed(seed_ref[pl.program_id(0)])
    mask(x_ref, o_ref)


# The generator goes on from program to program.
def once(seed_ref, x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        pltpu.prng_seed(seed_ref[0])

    mask(x_ref, o_ref)


def folded(x_ref, o_ref):
    key = jax.random.fold_in(jax.random.key(0), pl.program_id(0))
    o_ref[...] = jnp.where(jax.random.bernoulli(key, 0.5, x_ref.shape), x_ref[...], 0.0)


# One sign for each column, in all rows: no block of an output has that many numbers.
def signs(x_ref, o_ref):
    o_ref[...] = x_ref[...] * jax.random.rademacher(jax.random.key(0), (1, 128), jnp.float32)


x = jnp.ones((32, 128))
rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
seed = pl.BlockSpec(memory_space=pltpu.SMEM)


def call(kernel, *operands, interpret=pltpu.InterpretParams()):
    specs = [seed] * (len(operands) - 1) + [rows]
    return pl.pallas_call(kernel, grid=(4,), in_specs=specs, out_specs=rows, out_shape=x, interpret=interpret)(*operands)


for kernel in (with_the_program, seeds, once):
    call(kernel, jnp.arange(4), x)
for kernel in (folded, signs):
    call(kernel, x, interpret=True)

# Numbers from a generator that nobody has seeded, or not yet.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def dropout(x_ref, o_ref):
    bits = pltpu.bitcast(pltpu.prng_random_bits(x_ref.shape), jnp.uint32)
#                        ^ PL208 warning "`pltpu.prng_seed(seed, pl.program_id(0))`"
    o_ref[...] = jnp.where(bits > jnp.uint32(2**31), x_ref[...], 0.0)


def noise(x_ref, o_ref):
    o_ref[...] = x_ref[...] + pltpu.stateful_normal(x_ref.shape, jnp.float32)
#                             ^ PL208 warning "from a generator that this kernel has not seeded"


def seeded_too_late(seed_ref, x_ref, o_ref):
    kept = pltpu.stateful_uniform(x_ref.shape, jnp.float32) < 0.9
#          ^ PL208 warning "seed before the first number is drawn"
    pltpu.prng_seed(seed_ref[0], pl.program_id(0))
    o_ref[...] = jnp.where(kept, x_ref[...], 0.0)


x = jnp.ones((32, 128))
rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
seed = pl.BlockSpec(memory_space=pltpu.SMEM)


def launch(kernel, *operands):
    specs = [seed] * (len(operands) - 1) + [rows]
    return pl.pallas_call(
        kernel, grid=(4,), in_specs=specs, out_specs=rows, out_shape=x, interpret=pltpu.InterpretParams()
    )(*operands)


launch(dropout, x)
launch(noise, x)
launch(seeded_too_late, jnp.array([3]), x)

# Seeds that are set on a condition, in a function, or with a key.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def draw(shape):
    return pltpu.bitcast(pltpu.prng_random_bits(shape), jnp.uint32)


def seeded(seed_ref, x_ref, o_ref):
    pltpu.prng_seed(seed_ref[0], pl.program_id(0))
    o_ref[...] = jnp.where(draw(x_ref.shape) > 7, x_ref[...], 0.0)


def seeded_by_the_first(seed_ref, x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        pltpu.prng_seed(seed_ref[0])

    o_ref[...] = jnp.where(draw(x_ref.shape) > 7, x_ref[...], 0.0)


@jax.jit
def seed_with(number):
    pltpu.prng_seed(number, 3)
    return number


def seeded_elsewhere(seed_ref, x_ref, o_ref):
    seed_with(seed_ref[0] + pl.program_id(0))
    o_ref[...] = jnp.where(draw(x_ref.shape) > 7, x_ref[...], 0.0)


x = jnp.ones((32, 128))
rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
number = pl.BlockSpec(memory_space=pltpu.SMEM)


def launch(kernel):
    return pl.pallas_call(
        kernel, grid=(4,), in_specs=[number, rows], out_specs=rows, out_shape=x, interpret=pltpu.InterpretParams()
    )(jnp.array([3]), x)


launch(seeded)
launch(seeded_by_the_first)
launch(seeded_elsewhere)

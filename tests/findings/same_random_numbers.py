# Seeds and keys that are the same in every program, for blocks of their own.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def seeded_by_a_number(x_ref, o_ref):
    pltpu.prng_seed(0)
#   ^ PL207 warning "every program draws the same random numbers"
    bits = pltpu.bitcast(pltpu.prng_random_bits(x_ref.shape), jnp.uint32)
    o_ref[...] = jnp.where(bits > jnp.uint32(2**31), x_ref[...], 0.0)


def seeded_by_a_scalar(seed_ref, x_ref, o_ref):
    pltpu.prng_seed(seed_ref[0])
#   ^ PL207 warning "its seed does not depend on the program"
    bits = pltpu.bitcast(pltpu.prng_random_bits(x_ref.shape), jnp.uint32)
    o_ref[...] = jnp.where(bits > jnp.uint32(2**31), x_ref[...], 0.0)


def with_a_key(x_ref, o_ref):
    keep = jax.random.bernoulli(jax.random.key(0), 0.5, x_ref.shape)
#          ^ PL207 warning "its key does not depend on the program"
    o_ref[...] = jnp.where(keep, x_ref[...], 0.0)


x = jnp.ones((32, 128))
rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
seed = pl.BlockSpec(memory_space=pltpu.SMEM)


def dropout(kernel, *operands, interpret=pltpu.InterpretParams()):
    specs = [seed] * (len(operands) - 1) + [rows]
    return pl.pallas_call(kernel, grid=(4,), in_specs=specs, out_specs=rows, out_shape=x, interpret=interpret)(*operands)


dropout(seeded_by_a_number, x)
dropout(seeded_by_a_scalar, jnp.array([3]), x)
dropout(with_a_key, x, interpret=True)

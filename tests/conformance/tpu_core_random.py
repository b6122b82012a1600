"""The generator of a TPU's core where kernels are interpreted: zeros under InterpretParams; and keys of JAX's own in a kernel."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

DEVICE = pltpu.InterpretParams()


def call(body, dtype=jnp.int32, interpret=True, shape=(8, 128)):
    def kernel(o_ref):
        o_ref[...] = body().astype(dtype)

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(shape, dtype), interpret=interpret)()[:2, :3]


def seeded():
    pltpu.prng_seed(3)
    return pltpu.prng_random_bits((8, 128))


def twice():
    pltpu.prng_seed(1, 2)
    return pltpu.prng_random_bits((8, 128)) + pltpu.prng_random_bits((8, 128))


print("seeded", call(seeded, interpret=DEVICE))
print("twice", call(twice, interpret=DEVICE))


# A key of JAX's own generator goes into the kernel, and is folded with the program's number.
def keyed(key_ref, o_ref):
    key = jax.random.fold_in(key_ref[...], pl.program_id(0))
    o_ref[...] = jax.random.uniform(key, o_ref.shape, minval=1.0, maxval=2.0)


drawn = pl.pallas_call(
    keyed,
    grid=(2,),
    in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM)],
    out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32),
    interpret=True,
)
print("keyed", drawn(jax.random.key(7))[::8, :3])

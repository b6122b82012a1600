"""pltpu.sample_block: the same numbers whatever the size of blocks; pl.empty_ref_like."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

key = jax.random.key(0)
large = pltpu.sample_block(jax.random.uniform, key, (16, 128), (8, 128), (32, 256), (1, 0), minval=1.0, maxval=2.0)
small = pltpu.sample_block(jax.random.uniform, key, (8, 128), (8, 128), (32, 256), (2, 0), minval=1.0, maxval=2.0)
print((large[:8] == small).all(), large[0, :4], large[8, :4])


def kernel(o_ref):
    o_ref[...] = pltpu.sample_block(jax.random.normal, jax.random.key(1), (8, 128), (8, 128), (16, 256))


spec = pl.BlockSpec((8, 128), lambda i, j: (i, j))
out = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((16, 256), jnp.float32), grid=(2, 2), out_specs=spec,
                     interpret=True)()
print(out[0, :3], out[8, 128:131])
try:
    pltpu.sample_block(jax.random.uniform, key, (16, 128), (8,), (32, 256), (1, 0))
except ValueError as error:
    print(error)
try:
    pl.empty_ref_like(3)
except ValueError as error:
    print(error)

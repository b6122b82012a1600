# Refs that show memory as another dtype, written, which JAX's interpret mode does not do.
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def words(shape, dtype):
    numbers = (jnp.arange(shape[0] * shape[1]) * 79 % 4093).reshape(shape)
    return (numbers % 113).astype(dtype)


def writes(x_ref, o_ref, *, dtype):
    o_ref[...] = jnp.zeros_like(o_ref)
    shown = o_ref.bitcast(dtype)
    shown[...] = x_ref[...]


def writes_some(x_ref, o_ref, *, dtype):
    o_ref[...] = jnp.full_like(o_ref, 5)
    shown = o_ref.bitcast(dtype)
    shown[1:4] = x_ref[...]


def show(kernel, x, shape, dtype, shown):
    out = pl.pallas_call(
        functools.partial(kernel, dtype=shown),
        grid=(1,),
        out_shape=jax.ShapeDtypeStruct(shape, dtype),
        interpret=True,
    )(x)
    print(kernel.__name__, x.dtype, out.dtype, out[:, :2].ravel())


PAIRS = [
    ((16, 128), jnp.bfloat16, (8, 128), jnp.uint32),
    ((16, 128), jnp.int8, (4, 128), jnp.int32),
    ((16, 128), jnp.uint8, (8, 128), jnp.uint16),
    ((8, 128), jnp.float32, (8, 128), jnp.int32),
    ((8, 128), jnp.int32, (16, 128), jnp.int16),
    ((8, 128), jnp.uint32, (32, 128), jnp.uint8),
]
for from_shape, from_dtype, to_shape, to_dtype in PAIRS:
    x = words(from_shape, from_dtype)
    show(writes, x, to_shape, to_dtype, from_dtype)
    show(writes_some, x[:3], to_shape, to_dtype, from_dtype)


# In scratch memory: packed by one view, unpacked by the other.
def packs(x_ref, o_ref, packed):
    packed.bitcast(jnp.int8)[...] = x_ref[...]
    o_ref[...] = (packed[...] >> 8).astype(jnp.int32)


x = words((16, 128), jnp.int8)
print(
    pl.pallas_call(
        packs,
        out_shape=jax.ShapeDtypeStruct((4, 128), jnp.int32),
        scratch_shapes=[pltpu.VMEM((4, 128), jnp.int32)],
        interpret=True,
    )(x)[:, :3]
)

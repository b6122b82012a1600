# Refs that show memory as another dtype, read: of one width, wider and narrower.
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def words(shape, dtype):
    numbers = (jnp.arange(shape[0] * shape[1]) * 79 % 4093).reshape(shape)
    return (numbers % 113).astype(dtype)


def reads(x_ref, o_ref, *, dtype):
    o_ref[...] = x_ref.bitcast(dtype)[...]


def reads_some(x_ref, o_ref, *, dtype):
    shown = x_ref.bitcast(dtype)
    o_ref[...] = shown[pl.ds(pl.program_id(0) + 1, 2)]


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
    show(reads, x, to_shape, to_dtype, to_dtype)
    show(reads_some, x, (2, 128), to_dtype, to_dtype)


# A block of an array, and rows of it.
def blocks(x_ref, o_ref):
    pairs = x_ref.bitcast(jnp.uint32)
    o_ref[...] = pairs.at[pl.ds(1, 4)][::2]


x = words((32, 128), jnp.bfloat16)
print(
    pl.pallas_call(
        blocks,
        grid=(2,),
        in_specs=[pl.BlockSpec((16, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((2, 128), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((4, 128), jnp.uint32),
        interpret=True,
    )(x)[:, :3]
)

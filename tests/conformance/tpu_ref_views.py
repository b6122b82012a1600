"""Refs to the same memory in another shape or as another dtype, read."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

F32 = jnp.float32
X = jnp.arange(4 * 8 * 128, dtype=F32).reshape(4, 8, 128)


def call(kernel, *args, shape, dtype=F32, scratch=()):
    return pl.pallas_call(
        kernel, out_shape=jax.ShapeDtypeStruct(shape, dtype), scratch_shapes=scratch, interpret=True
    )(*args)


# In another shape.
def rows(x_ref, o_ref):
    flat = x_ref.reshape(32, 128)
    print(flat.shape, flat.dtype, x_ref.reshape(-1, 256).shape, x_ref.reshape((2, 2, 8, 128)).shape)
    o_ref[...] = flat[4:12, :]


print(call(rows, X, shape=(8, 128))[:, 0])


def part(x_ref, o_ref):
    o_ref[...] = x_ref.at[1].reshape(4, 2, 128)[:, 1]


print(call(part, X, shape=(4, 128))[:, 1])


# The same bits.
def bits(x_ref, o_ref):
    words = x_ref.bitcast(jnp.int32)
    print(words.shape, words.dtype)
    o_ref[...] = words[...] >> 23


print(call(bits, X[0], shape=(8, 128), dtype=jnp.int32)[0, :5])


def halves(x_ref, o_ref):
    words = x_ref.bitcast(jnp.uint32)
    print(words.shape)
    o_ref[...] = words[1:3]


H = (jnp.arange(16 * 128, dtype=F32).reshape(16, 128) % 61).astype(jnp.bfloat16)
print(call(halves, H, shape=(2, 128), dtype=jnp.uint32)[:, :3])


for make in (
    lambda r: r.reshape(5, 7),
    lambda r: r.reshape(-1, -1),
    lambda r: r.reshape(-1, 3),
    lambda r: r.at[0, 0].bitcast(jnp.bfloat16),
):
    try:
        call(lambda x_ref, o_ref: make(x_ref)[...], X, shape=(8, 128))
    except (ValueError, NotImplementedError) as error:
        print(type(error).__name__, error)

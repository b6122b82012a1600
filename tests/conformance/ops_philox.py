"""Counter-based random bits: wide products of 32-bit words from halves, rounds of keyed mixing, counters per block."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

KEYS = (0x9E3779B9, 0xBB67AE85)
FACTORS = (0xD2511F53, 0xCD9E8D57)


def wide_product(a, b):
    """The high and the low word of a product, from 16-bit halves."""
    low_a, high_a = a & 0xFFFF, a >> 16
    low_b, high_b = b & 0xFFFF, b >> 16
    low = low_a * low_b
    middle = high_a * low_b + (low >> 16)
    other = low_a * high_b + (middle & 0xFFFF)
    return high_a * high_b + (middle >> 16) + (other >> 16), (other << 16) | (low & 0xFFFF)


def philox(counters, key, rounds=10):
    c0, c1, c2, c3 = counters
    k0, k1 = key
    for _ in range(rounds):
        high0, low0 = wide_product(jnp.uint32(FACTORS[0]), c0)
        high1, low1 = wide_product(jnp.uint32(FACTORS[1]), c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = k0 + jnp.uint32(KEYS[0]), k1 + jnp.uint32(KEYS[1])
    return c0, c1, c2, c3


def kernel(key_ref, o_ref, *, columns):
    row, column = pl.program_id(0), pl.program_id(1)
    height, width = o_ref.shape
    rows = jax.lax.broadcasted_iota(jnp.uint32, o_ref.shape, 0) + (row * height).astype(jnp.uint32)
    places = jax.lax.broadcasted_iota(jnp.uint32, o_ref.shape, 1) + (column * width).astype(jnp.uint32)
    count = rows * jnp.uint32(columns) + places
    zero = jnp.zeros_like(count)
    first, second, _, _ = philox((count, zero, zero, zero), (key_ref[0], key_ref[1]))
    o_ref[...] = first ^ second


@functools.partial(jax.jit, static_argnames=("shape", "block"))
def bits(key, shape, block):
    return pl.pallas_call(
        functools.partial(kernel, columns=shape[1]),
        grid=(shape[0] // block[0], shape[1] // block[1]),
        out_specs=pl.BlockSpec(block, lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct(shape, jnp.uint32),
        interpret=True,
    )(key)


key = jnp.array([0x12345678, 0x9ABCDEF0], dtype=jnp.uint32)
print(bits(key, (4, 6), (2, 3)))
print(bool(jnp.all(bits(key, (8, 8), (8, 8)) == bits(key, (8, 8), (2, 4)))))
# The first known answer of the paper's reference implementation: counters and keys of zeros.
print(*(f"{int(word):08x}" for word in philox([jnp.uint32(0)] * 4, [jnp.uint32(0)] * 2)))
ones = jnp.uint32(0xFFFFFFFF)
print(*(f"{int(word):08x}" for word in philox([ones] * 4, [ones] * 2)))
uniform = (bits(key, (64, 64), (16, 16)) >> 8).astype(jnp.float32) / (1 << 24)
print(f"{float(uniform.mean()):.4f} {float(uniform.min()):.4f} {float(uniform.max()):.4f}")
for a, b in ((0, 5), (0xFFFFFFFF, 0xFFFFFFFF), (0x10000, 0x10000), (123456789, 987654321)):
    print(wide_product(jnp.uint32(a), jnp.uint32(b)), divmod(a * b, 1 << 32))

"""Integers wrap; the sum of small ones does not; negation and abs of the smallest."""
import jax.numpy as jnp

i32 = jnp.array([2**31 - 1, -2**31, 0, 1], jnp.int32)
print(i32 + 1, i32 - 1, i32 * 2, -i32, abs(i32), sep="\n")
i8 = jnp.array([127, -128, 100], jnp.int8)
print(i8 + i8, i8 * i8, -i8, abs(i8), i8.sum(), i8.sum().dtype, i8.prod())
u8 = jnp.array([0, 255, 200], jnp.uint8)
print(u8 + jnp.uint8(100), u8 - jnp.uint8(1), -u8, ~u8, u8.sum(), u8.sum().dtype)
u32 = jnp.array([0, 2**32 - 1], jnp.uint32)
print(u32 + jnp.uint32(1), u32 * u32, -u32, u32.astype(jnp.int32))
print(jnp.cumsum(jnp.full(4, 2**30, jnp.int32)), jnp.full(4, 2**30).sum(), jnp.arange(4, dtype=jnp.int8).cumsum().dtype)
print(jnp.int32(46341) ** 2, jnp.array([2, -3], jnp.int32) ** jnp.array([31, 21]))

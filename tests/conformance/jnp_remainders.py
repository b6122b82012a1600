"""Remainders of many numbers, by one number and by several, and the ranges that they are taken of."""
import jax.numpy as jnp
import numpy as np

# Remainders of many numbers by one, whose sign is known, and by several.
many = jnp.arange(-40_000, 40_000, dtype=jnp.float32) * 0.37
for divisor in 5, -5, 0.1, -0.1, jnp.inf, -jnp.inf, 0.0, -0.0, jnp.nan:
  rest = many % divisor
  print(divisor, rest[:3], rest[40_000:40_003], jnp.nanmax(rest), jnp.signbit(rest).sum(), np.arange(-9, 9, dtype=np.float32)[:4] % np.float32(divisor or 0.3))
integers = jnp.arange(-40_000, 40_000)
for divisor in 7, -7, 1, -1, 0, jnp.int32(-3), jnp.array([3]):
  print(divisor, (integers % divisor).sum(), (integers % divisor)[:5], (integers.astype(jnp.uint32) % abs(divisor))[:3])
print(jnp.arange(3, 50_000, 3)[-3:], np.arange(0.5, 20_000, 0.5, dtype=np.float32)[-3:], np.arange(0, 9e4, 0.25)[-2:], jnp.ones((200, 200)).sum(), jnp.zeros((200, 200))[-1, -2:], -jnp.zeros((200, 200))[-1, -2:])

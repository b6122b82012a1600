"""One-dimensional arrays: widths, alignment, signs, scientific notation, nan, wrapping."""
import jax.numpy as jnp

inf, nan = jnp.inf, jnp.nan
for values in (
    [1, 2, 3], [1, -20, 300], [1.0, 2.0], [0.1, 0.25, 3.0], [1e-3, 1.0], [1e-5, 1.0], [1e8, 1.0], [1e7, 1.5],
    [123456.789, 0.001], [1e-10, 1e10], [nan, 1.0], [inf, -1.5], [nan, inf, -inf], [-0.0, 0.0], [1 / 3, 2 / 3],
    [0.1, 0.12, 0.123, 0.1234567], [1e20, 3e20], [99999999.0, 1.0], [1.5e-5, 2.25e-7], [True, False], [nan], [1e16],
    [0.30000001192, 0.3], [16777216.0, 0.5], [1000.0, 0.001], [1024.0, 0.0009765625], [5e-324], [2.0**-126],
):
  x = jnp.array(values)
  print(x, "|", repr(x))
print(jnp.arange(30))
print(jnp.arange(100, 130) * 1000)
print(jnp.linspace(0, 1, 11))
print(repr(jnp.linspace(0, 1, 13)))
print(repr(jnp.arange(40)))
print(jnp.array([]), repr(jnp.array([])), repr(jnp.zeros((0,), jnp.int32)), jnp.zeros((0,)))
print(jnp.arange(25) % 2 == 0)
print(repr(jnp.arange(14) > 5))

"""Elementwise functions on exact arguments and on special values."""
import jax.numpy as jnp
from jax import lax

inf, nan = jnp.inf, jnp.nan
x = jnp.array([-2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, 4.0])
for name in ("abs", "negative", "sign", "floor", "ceil", "round", "trunc", "square", "sqrt", "isnan", "rint", "reciprocal",
             "positive", "fabs", "isfinite", "isinf", "logical_not"):
  print(f"{name:12}", getattr(jnp, name)(x))
s = jnp.array([0.0, -0.0, inf, -inf, nan, 1.0])
for name in ("exp", "log", "sqrt", "sin", "tanh", "log1p", "expm1", "abs", "sign", "floor"):
  print(f"{name:12}", getattr(jnp, name)(s))
a, b = jnp.array([1, 5, -3, 0]), jnp.array([2, 5, -4, 1])
for name in ("add", "subtract", "multiply", "maximum", "minimum", "power", "greater", "less_equal", "not_equal", "equal",
             "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_or", "logical_xor", "floor_divide", "mod"):
  print(f"{name:14}", getattr(jnp, name)(a, jnp.abs(b) if name == "power" else b))
print(jnp.maximum(s, 0.5), jnp.minimum(s, 0.5), jnp.fmax(s, 0.5), jnp.hypot(jnp.float32(3), 4.0), jnp.copysign(1.0, s))
print(jnp.clip(x, -1, 1), x.clip(max=0), jnp.clip(jnp.arange(5), 1, 3), lax.clamp(0.0, x, 2.0), jnp.nan_to_num(s))
print(jnp.isclose(1.0, 1.0 + 1e-6), jnp.allclose(x, x + 1e-9), jnp.array_equal(a, a), jnp.array_equal(a, b), jnp.square(a), jnp.float_power(2, 3))
print(lax.rsqrt(jnp.array([4.0, 0.25])), lax.integer_pow(a, 3), jnp.cbrt(jnp.float32(27)), jnp.exp2(jnp.arange(4.0)), jnp.log2(jnp.array([1.0, 8.0])))

"""Elementwise functions: dtypes of results, weak types, and values on every kind of operand."""
import jax.numpy as jnp

operands = {
    "bool": jnp.array([True, False]), "int8": jnp.array([-3, 4], jnp.int8), "uint8": jnp.array([200, 7], jnp.uint8),
    "int32": jnp.array([-5, 9]), "uint32": jnp.array([3000000000, 2], jnp.uint32), "bfloat16": jnp.array([0.5, -2.25], jnp.bfloat16),
    "float16": jnp.array([0.5, 3.0], jnp.float16), "float32": jnp.array([0.75, -1.5]), "int": 3, "float": 0.5, "True": True,
}


def show(name, value):
  if isinstance(value, tuple):
    print(name, *(f"{part} {part.dtype}{'~' if part.weak_type else ''}" for part in value))
  else:
    print(name, value, f"{value.dtype}{'~' if value.weak_type else ''}")


def attempt(label, function, *args):
  try:
    show(label, function(*args))
  except Exception as error:
    print(label, type(error).__name__, error)


for name in ("abs", "negative", "sign", "floor", "ceil", "trunc", "rint", "round", "square", "isnan", "isfinite", "isinf", "signbit",
             "logical_not", "invert", "positive", "reciprocal", "real", "imag", "conj", "isposinf", "nan_to_num", "fabs"):
  for kind, x in operands.items():
    attempt(f"{name} {kind}:", getattr(jnp, name), x)
for name in ("add", "subtract", "multiply", "divide", "floor_divide", "mod", "fmod", "maximum", "minimum", "power", "fmax", "fmin",
             "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift",
             "equal", "less", "greater_equal", "divmod"):
  for kind, other in (("int8", operands["int8"]), ("int32", operands["int32"]), ("float32", operands["float32"]), ("int", 2), ("float", 1.5), ("bool", operands["bool"])):
    for first in ("bool", "int8", "uint8", "int32", "bfloat16", "float32"):
      attempt(f"{name} {first} {kind}:", getattr(jnp, name), operands[first], other)
print(jnp.round(jnp.array([2.675, -1.005, 0.15, 1e6]), 2), jnp.round(jnp.float16(1.2345), 2), jnp.round(jnp.array(1234.5), -2), jnp.around(3.5))
print(jnp.clip(jnp.arange(5), 1, 3), jnp.clip(jnp.arange(3), 0.5), jnp.clip(jnp.array([1.0, jnp.nan]), min=2), jnp.clip(jnp.arange(4, dtype=jnp.int8), max=2).dtype)
print(jnp.where(jnp.array([True, False]), 1, 2.5), jnp.where(True, jnp.int8(1), 2), repr(jnp.where(jnp.array([1, 0]), jnp.bfloat16(1), 0)))
print(jnp.hypot(3.0, 4), jnp.arctan2(1, -1), jnp.copysign(2.0, -0.0), jnp.nextafter(1.0, 2.0), jnp.heaviside(jnp.array([-1.0, 0.0, 2.0]), 0.5), jnp.sinc(jnp.array([0.0, 0.5])))
print(jnp.logaddexp(1.0, 2.0), jnp.logaddexp2(jnp.array([1.0, -jnp.inf]), -jnp.inf), jnp.log1p(1e-5), jnp.expm1(1e-5), jnp.exp2(3), jnp.log2(jnp.array([1.0, 8.0, 10.0])), jnp.log10(1000.0))
print(jnp.gcd(12, jnp.array([18, 7, 0])), jnp.lcm(4, 6), jnp.frexp(jnp.array([8.0, 0.3, 0.0])), jnp.modf(jnp.array([1.25, -2.5])), jnp.ldexp(0.75, 3), jnp.bitwise_count(jnp.array([7, 255])))
print(jnp.deg2rad(180.0), jnp.rad2deg(jnp.pi), jnp.cbrt(27.0), jnp.float_power(2, 3), jnp.isreal(jnp.arange(2)), jnp.angle(-1.0), jnp.spacing(jnp.float32(1)))

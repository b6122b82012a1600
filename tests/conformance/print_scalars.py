"""print, repr and str of scalars of every dtype; f-strings with format specs."""
import jax.numpy as jnp
import numpy as np

for dtype in ("bool", "int8", "uint8", "int32", "uint32", "float16", "bfloat16", "float32"):
  x = jnp.asarray(1, dtype)
  y = jnp.array(0.1, dtype) if "float" in dtype else x
  print(dtype, x, repr(x), y, repr(y), f"{y}")
f = jnp.float32(3.14159265)
print(f"{f:.2f} {f:8.3f}| {f:e} {f:g} {f:+.1f} {f} {float(f)} {f!r} {f!s:>12}|")
i = jnp.int32(42)
print(f"{i:5d}| {i:05} {i:x} {i:b} {i:,} {int(i)} {i!r}")
print("%d %.3f %s %5.1f|" % (i, f, f, f), "{:.1f} {}".format(f, i))
for value in (1e-8, 123456789.0, 1e16, 1e15, 0.1, 1 / 3, 100000.0, 1e20, 3e-5, 1e-4, float("nan"), float("-inf"), -0.0, 16777216.0):
  print(jnp.float32(value), repr(jnp.float32(value)), np.float32(value), repr(np.float32(value)), float(np.float32(value)))
print(jnp.int32(5).item(), jnp.float32(0.1).item(), jnp.bool_(True).item(), jnp.bfloat16(0.1).item())
print(np.float64(0.1), repr(np.float64(0.1)), np.int64(3), repr(np.int64(3)), repr(np.bool_(True)))
print(round(jnp.float32(2.567), 2), round(float(f), 3), abs(jnp.float32(-2)), bool(i), int(f), hex(i), [1, 2, 3][jnp.int32(1)])

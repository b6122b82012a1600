"""astype and asarray between dtypes: truncation, wrapping, rounding, NaN and infinity."""
import jax.numpy as jnp
import numpy as np

x = jnp.array([-2.7, -0.5, 0.0, 0.5, 1.5, 2.5, 127.9])
for dtype in ("int32", "int8", "uint8", "bool", "float16", "bfloat16"):
  print(f"{dtype:9}", x.astype(dtype))
n = jnp.array([-129, -1, 0, 127, 128, 255, 256, 65537])
for dtype in ("int8", "uint8", "int16", "uint16", "uint32", "float32", "bfloat16", "float16", "bool"):
  print(f"{dtype:9}", n.astype(dtype))
r = jnp.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, 256.5, 257.0, 65504.0, 65519.0, 65520.0, 1e-8, 3.4e38])
print("bfloat16", r.astype(jnp.bfloat16).astype(jnp.float32))
print("float16 ", r.astype(jnp.float16).astype(jnp.float32))
e = jnp.array([0.0, 0.3, 1.1, 17.0, 240.0, 448.0, 1e-3])
print("e4m3fn", e.astype(jnp.float8_e4m3fn).astype(jnp.float32))
print("e5m2  ", e.astype(jnp.float8_e5m2).astype(jnp.float32))
s = jnp.array([jnp.nan, jnp.inf, -jnp.inf, 1e30, -1e30])
print(s.astype(jnp.bfloat16), s.astype(jnp.float16), s.astype(bool))
print(s.astype(jnp.int32))
print(jnp.asarray([True, False]).astype(jnp.float32), jnp.asarray(np.arange(3)).dtype, jnp.asarray(np.ones(2)).dtype)
print(jnp.int8(5), repr(jnp.uint8(7)), repr(jnp.float16(0.1)), repr(jnp.bfloat16(0.1)), repr(jnp.bool_(1)))

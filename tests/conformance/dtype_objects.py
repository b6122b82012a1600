"""dtypes as objects: names, sizes, comparisons, finfo, iinfo, issubdtype."""
import jax.numpy as jnp
import numpy as np

for scalar_type in (jnp.bool_, jnp.int8, jnp.uint8, jnp.int16, jnp.int32, jnp.uint32, jnp.float16, jnp.bfloat16,
                    jnp.float32, jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.int4):
  dtype = jnp.dtype(scalar_type)
  print(f"{dtype.name:14} {dtype.itemsize} {dtype.kind} {jnp.issubdtype(dtype, jnp.floating):d}"
        f"{jnp.issubdtype(dtype, jnp.integer):d}{jnp.issubdtype(dtype, jnp.signedinteger):d}"
        f"{jnp.issubdtype(dtype, jnp.inexact):d} {dtype == scalar_type} {dtype}")
print(repr(jnp.dtype("float32")), repr(jnp.dtype(jnp.bfloat16)), repr(np.dtype(np.int8)))
print(jnp.float32, jnp.bfloat16)
print(np.float32, np.int32, np.bool_)
print(jnp.zeros(1).dtype == "float32", jnp.zeros(1).dtype == np.float32, jnp.zeros(1).dtype == jnp.float32)

for name in ("float32", "float16", "bfloat16"):
  info = jnp.finfo(name)
  print(name, info.bits, float(info.max), float(info.min), float(info.eps), float(info.tiny))
for name in ("int8", "uint8", "int16", "int32", "uint32"):
  info = jnp.iinfo(name)
  print(name, info.bits, info.min, info.max)
print(-jnp.finfo(jnp.float32).max, jnp.finfo(jnp.bfloat16).max)
print(jnp.finfo(jnp.float32).dtype, jnp.iinfo(jnp.int32).dtype)
print(jnp.float32.dtype, jnp.bfloat16.dtype == jnp.dtype("bfloat16"))

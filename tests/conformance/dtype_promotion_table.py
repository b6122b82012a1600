"""jnp.promote_types over all pairs, as a table, and result types with Python scalars."""
import jax.numpy as jnp

NAMES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "bfloat16", "float16", "float32"]
SHORT = {"bool": "b1", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
         "bfloat16": "bf", "float16": "f2", "float32": "f4",
         "int64": "i8", "uint64": "u8", "float64": "f8"}
print("    " + " ".join(SHORT[name] for name in NAMES))
for a in NAMES:
  row = (SHORT[jnp.promote_types(a, b).name] for b in NAMES)
  print(f"{SHORT[a]}  " + " ".join(row))

for name in NAMES:
  x = jnp.ones(2, name)
  results = [(x + value).dtype.name for value in (True, 1, 1.0)]
  print(f"{name:10} with bool, int, float: {' '.join(results)}")

"""The dtype of every operator, for pairs of arrays."""
import operator

import jax.numpy as jnp

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
             operator.pow, operator.lt, operator.eq, operator.and_, operator.xor, operator.lshift]
PAIRS = [("int32", "int32"), ("int32", "uint8"), ("int8", "uint8"), ("uint32", "int32"), ("bool", "bool"),
         ("bool", "int8"), ("float32", "int32"), ("bfloat16", "float16"), ("bfloat16", "int32"), ("float16", "float32")]
for a, b in PAIRS:
  cells = []
  for op in OPERATORS:
    try:
      cells.append(op(jnp.ones(1, a), jnp.ones(1, b)).dtype.name)
    except TypeError:
      cells.append("-")
  print(f"{a:9}{b:9}" + " ".join(f"{cell:8}" for cell in cells))

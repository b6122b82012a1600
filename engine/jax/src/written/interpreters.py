"""`jax.interpreters`: where programs put rules for primitives of their own."""
from jax.interpreters import batching, mlir

"""`jax.lax.linalg`"""
from jax._src.lax.linalg import cholesky, eigh, lu, qr, svd, triangular_solve

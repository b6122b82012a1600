# A module that may be missing, and a program that is prepared for it.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

try:
  import no_such_company
except ImportError:
  no_such_company = None

try:
  from no_such_company import kernels
except (ImportError, AttributeError):
  kernels = None


def double(x_ref, o_ref):
  o_ref[...] = x_ref[...] * (2 if no_such_company is None else no_such_company.factor)


pl.pallas_call(double, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), interpret=True)(jnp.ones(8))

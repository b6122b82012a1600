# No program is running.
# jax: AssertionError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

row = pl.program_id(0)
#     ^ PL113 error "no kernel is running"

# `hasattr` and `getattr` with a default ask first.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

print(hasattr(pl, "program_ids"), getattr(jnp, "rsqrt", None))

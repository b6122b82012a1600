# A reshape to another size.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.ones((8, 128))
y = x.reshape(7, -1)
#   ^ PL303 error "reshape"

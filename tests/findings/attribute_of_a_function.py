# A function that is elsewhere.
# jax: AttributeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.ones((8, 128))
y = jnp.rsqrt(x)
#   ^ PL312 error "rsqrt"

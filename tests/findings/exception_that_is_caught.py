# A program that expects the exception.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.ones((8, 128))
try:
    y = x.reshape(7, -1)
except TypeError as error:
    print("as expected:", type(error).__name__)

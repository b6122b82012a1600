# An exception that has no rule of its own.
# jax: ZeroDivisionError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

block = 0
parts = 128 // block
#       ^ PL001 error "ZeroDivisionError"

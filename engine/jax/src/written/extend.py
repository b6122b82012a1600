"""`jax.extend`: what libraries on top of JAX are written with."""
from jax.extend import backend, core

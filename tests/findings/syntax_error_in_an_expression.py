# An operator is missing.
# jax: SyntaxError
import jax.numpy as jnp

x = jnp.ones(8)
z = x x
#   ^ PL000 error "invalid syntax"

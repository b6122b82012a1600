# Inside of jit nothing is known, whatever is differentiated.
# jax: TracerBoolConversionError
import jax
import jax.numpy as jnp


@jax.jit
def bent(x):
    if x > 0:
#      ^ PL306 error "pl.when"
        return x * x
    return -x


print(jax.grad(bent)(2.0))

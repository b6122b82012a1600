"""A failing np.testing check ends the program with an AssertionError."""
import jax.numpy as jnp
import numpy as np

x = jnp.arange(3)
np.testing.assert_array_equal(x, x)
print("equal")
assert x.shape == (4,), f"shape {x.shape} is not (4,)"

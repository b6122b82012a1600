"""Arrays of more than a thousand elements print their edges only."""
import jax.numpy as jnp
import numpy as np

print(jnp.arange(1000))
print(jnp.arange(1001))
print(repr(jnp.arange(5000)))
print(jnp.arange(2000.0) / 8)
print(jnp.arange(1200).reshape(40, 30))
print(repr(jnp.zeros((100, 100))))
print(jnp.ones((20, 20, 20), jnp.int8))
print(jnp.arange(4000).reshape(2, 2000))
print(jnp.arange(4000).reshape(2000, 2))
print(repr(jnp.ones((3, 500), bool)))
with np.printoptions(threshold=5, edgeitems=2):
  print(np.arange(10))
with np.printoptions(precision=3, suppress=True):
  print(np.array([1.23456, 1e-7]), np.array([[1 / 3, 100.0]]))
print(np.arange(3))

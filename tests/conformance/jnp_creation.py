"""Making arrays: zeros, full, arange, linspace, eye, tri, meshgrid, from lists, like others."""
import jax.numpy as jnp
import numpy as np

for x in (jnp.zeros(3), jnp.ones((2, 2), int), jnp.full((2,), 7), jnp.full(2, 1.5), jnp.full((2,), True), jnp.empty(2),
          jnp.arange(4), jnp.arange(2, 8, 3), jnp.arange(3.0), jnp.arange(0, 1, 0.25), jnp.arange(5, 0, -2), jnp.arange(3, dtype=jnp.bfloat16),
          jnp.linspace(0, 1, 5), jnp.linspace(0, 10, 5, endpoint=False), jnp.logspace(0, 2, 3), jnp.eye(2), jnp.eye(2, 3, k=1),
          jnp.identity(2), jnp.tri(3), jnp.array([1, 2.5]), jnp.array([[True]]), jnp.array((1, 2), "int8"), jnp.array(np.arange(2)),
          jnp.asarray([[1, 2], [3, 4]]), jnp.zeros_like(jnp.arange(2)), jnp.ones_like(jnp.arange(2.0)), jnp.full_like(jnp.arange(2), 9),
          jnp.zeros((2, 0)), jnp.array([jnp.int32(1), jnp.int32(2)]), jnp.array([jnp.arange(2), jnp.arange(2)]), jnp.diag(jnp.arange(3)),
          jnp.tril(jnp.ones((3, 3))), jnp.triu(jnp.arange(9).reshape(3, 3), 1), jnp.indices((2, 2)), jnp.vander(jnp.array([1, 2, 3]))):
  print(repr(x))
for grid in jnp.meshgrid(jnp.arange(2), jnp.arange(3)):
  print(grid)
for grid in jnp.meshgrid(jnp.arange(2), jnp.arange(3), indexing="ij"):
  print(grid)
print(jnp.mgrid[0:2, 0:3].shape, jnp.ogrid[0:2, 0:3][1], jnp.tril_indices(2))

"""sort, argsort, top_k, unique, searchsorted, bincount, histogram, stable orders and NaN."""
import jax.numpy as jnp
from jax import lax

x = jnp.array([3, 1, 2, 3, 0, 1])
print(jnp.sort(x), jnp.argsort(x), x.sort(), jnp.sort(x, descending=True), jnp.argsort(-x), jnp.argsort(x, descending=True))
print(jnp.sort(jnp.array([[3, 1], [2, 5]])), jnp.sort(jnp.array([[3, 1], [2, 5]]), axis=0), jnp.sort(jnp.array([1.0, jnp.nan, -jnp.inf, 0.0])))
print(lax.top_k(x, 2), jnp.unique(x), jnp.unique(x, return_counts=True), jnp.searchsorted(jnp.array([1, 3, 5]), jnp.array([0, 3, 6])))
print(jnp.bincount(x), jnp.bincount(x, length=6), jnp.digitize(jnp.array([0.5, 1.5]), jnp.array([0.0, 1.0])), jnp.lexsort((x, x % 2)))
print(lax.sort((x, jnp.arange(6)), num_keys=1), jnp.partition(x, 2)[2], jnp.flatnonzero(x == 1), jnp.isin(x, jnp.array([0, 3])))

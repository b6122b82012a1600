"""normal, and distributions that are made from it, rounded."""
import jax
import jax.numpy as jnp
import numpy as np


def rounded(x):
  return " ".join(f"{value:.4f}" for value in np.asarray(x, np.float32).ravel())


key = jax.random.key(0)
print(rounded(jax.random.normal(key)), "|", rounded(jax.random.normal(key, (5,))))
print(rounded(jax.random.normal(jax.random.PRNGKey(42), (2, 3))))
print(rounded(jax.random.normal(key, (3,), jnp.bfloat16)), jax.random.normal(key, (3,), jnp.float16).dtype)
print(rounded(jax.random.truncated_normal(key, -2.0, 2.0, (4,))))
print(rounded(jax.random.exponential(key, (4,))))
print(rounded(jax.random.gumbel(key, (4,))))
x = jax.random.normal(jax.random.key(9), (10000,))
print(f"{x.mean():.2f} {x.std():.2f} {(jnp.abs(x) < 1).mean():.2f}")

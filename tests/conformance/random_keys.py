"""Keys: key, PRNGKey, split, fold_in, key_data, and how they print."""
import jax
import jax.numpy as jnp

key = jax.random.key(0)
print(key)
print(repr(key), key.shape, key.dtype)
print(jax.random.PRNGKey(0), jax.random.PRNGKey(42), repr(jax.random.PRNGKey(-1)), jax.random.PRNGKey(2**31 - 1))
print(jax.random.key_data(jax.random.key(7)))
print(jax.random.key_data(jax.random.split(key)))
print(jax.random.split(jax.random.PRNGKey(1), 4))
print(jax.random.split(jax.random.PRNGKey(1), (2, 2)).shape, jax.random.split(key, 3).shape)
a, b = jax.random.split(key)
print(jax.random.key_data(a), jax.random.key_data(b))
k1, k2, k3 = jax.random.split(jax.random.PRNGKey(3), num=3)
print(k1, k2, k3)
print(jax.random.key_data(jax.random.fold_in(key, 0)), jax.random.fold_in(jax.random.PRNGKey(5), 123))
print(jax.random.split(key, 2))
print(jax.random.key_data(jax.random.split(key, 5)[3]), jax.random.key_data(jax.random.wrap_key_data(jnp.array([1, 2], jnp.uint32))))
print(jnp.issubdtype(key.dtype, jax.dtypes.prng_key))

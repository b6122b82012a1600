"""randint, bernoulli, permutation, choice, categorical."""
import jax
import jax.numpy as jnp

key = jax.random.key(2)
print(jax.random.randint(key, (8,), 0, 10), jax.random.randint(key, (), -5, 5), jax.random.randint(key, (2, 3), 0, 1000))
print(jax.random.randint(key, (5,), 0, 256, jnp.uint8), jax.random.randint(key, (5,), -100, 100, dtype=jnp.int8))
print(jax.random.randint(key, shape=(4,), minval=jnp.array([0, 10, 20, 30]), maxval=jnp.array([5, 15, 25, 35])))
print(jax.random.bernoulli(key), jax.random.bernoulli(key, 0.3, (10,)), jax.random.bernoulli(key, shape=(2, 2)))
print(jax.random.permutation(key, 10), jax.random.permutation(key, jnp.arange(5) * 10))
print(jax.random.permutation(jax.random.PRNGKey(0), jnp.arange(6).reshape(3, 2)))
print(jax.random.choice(key, 5, (6,)), jax.random.choice(key, jnp.array([10, 20, 30]), (4,)), jax.random.choice(key, 8, (4,), replace=False))
print(jax.random.categorical(key, jnp.log(jnp.array([0.1, 0.2, 0.7])), shape=(8,)))
print(jax.random.randint(key, (200,), 0, 6).sum())

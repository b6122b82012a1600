"""uniform and bits: shapes, dtypes and bounds."""
import jax
import jax.numpy as jnp

key = jax.random.key(1)
print(jax.random.uniform(key), jax.random.uniform(key, (3,)), jax.random.uniform(key, (2, 3)))
print(repr(jax.random.uniform(jax.random.PRNGKey(0), (5,))))
print(jax.random.uniform(key, (4,), minval=-1.0, maxval=1.0))
print(jax.random.uniform(key, (3,), jnp.float16), jax.random.uniform(key, (3,), dtype=jnp.bfloat16))
print(jax.random.bits(key), jax.random.bits(key, (3,)), jax.random.bits(key, (4,), jnp.uint8), jax.random.bits(key, (3,), "uint16"))
for size in (1, 2, 3, 7):
  print(size, jax.random.uniform(jax.random.key(5), (size,)))
print(jax.random.uniform(key, (1000,)).min() >= 0, jax.random.uniform(key, (0,)))
x = jax.random.uniform(jax.random.key(0), (64, 64))
print(x[0, :4], x[-1, -3:], f"{x.mean():.3f}")

# Random floats of 8 bits.
import jax
import jax.numpy as jnp

for dtype in (jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3b11fnuz, jnp.float8_e4m3, jnp.float8_e3m4, jnp.bfloat16):
  key = jax.random.key(7)
  x = jax.random.uniform(key, (3, 5), dtype)
  y = jax.random.uniform(key, (4,), dtype, minval=-2.0, maxval=3.0)
  z = jax.random.normal(key, (3, 5), dtype)
  print(x.dtype, x.astype(jnp.float32).tolist(), y.astype(jnp.float32).tolist())
  print(z.dtype, z.astype(jnp.float32).tolist())

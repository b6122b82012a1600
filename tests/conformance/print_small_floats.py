"""bfloat16, float16, float8 and int4 arrays, which print each in its own way."""
import jax.numpy as jnp

x = jnp.array([0.0, 1.0, -2.5, 0.1, 1 / 3, 1000.0, 1e-5, 65504.0])
print(x.astype(jnp.float16))
print(repr(x.astype(jnp.float16)))
print(x.astype(jnp.bfloat16))
print(repr(x.astype(jnp.bfloat16)))
print(x.astype(jnp.bfloat16).reshape(2, 4))
print(x[:6].astype(jnp.float8_e4m3fn))
print(repr(x[:6].astype(jnp.float8_e5m2)))
print(jnp.array([jnp.nan, jnp.inf, -1.5], jnp.bfloat16))
print(jnp.array([1e30, 1e-30, 123456], jnp.bfloat16), jnp.float16(1e-7), jnp.bfloat16(3e38))
print(jnp.array([1, -2, 7], jnp.int4), repr(jnp.array([1, 15], jnp.uint4)))

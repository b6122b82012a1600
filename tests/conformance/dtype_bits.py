"""bitcast_convert_type and view: the bits of floats."""
import jax.numpy as jnp
from jax import lax

x = jnp.array([0.0, -0.0, 1.0, -2.0, 0.1, jnp.inf, 1e-45])
bits = lax.bitcast_convert_type(x, jnp.uint32)
print([f"{int(b):08x}" for b in bits])
print(lax.bitcast_convert_type(bits, jnp.float32) == x)
print([f"{int(b):04x}" for b in lax.bitcast_convert_type(x.astype(jnp.bfloat16), jnp.uint16)])
print([f"{int(b):04x}" for b in lax.bitcast_convert_type(x.astype(jnp.float16), jnp.uint16)])
print(x[:2].view(jnp.int32), lax.population_count(jnp.array([0, 1, 255, -1])), lax.clz(jnp.array([0, 1, 255, -1])))
print(jnp.signbit(x), jnp.nextafter(jnp.float32(1), jnp.float32(2)) - 1)

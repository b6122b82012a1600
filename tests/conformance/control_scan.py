"""lax.scan and lax.map outside of kernels, associative_scan, and Python loops in jit."""
import jax
import jax.numpy as jnp
from jax import lax

carry, ys = lax.scan(lambda c, x: (c + x, c * x), 0, jnp.arange(6))
print(carry, ys)

(a, b), (u, v) = lax.scan(lambda c, x: ((c[1], c[0] + c[1]), (c[0], x["k"] * 2)), (0, 1),
                          {"k": jnp.arange(8)})
print(a, b, u, v)

print(lax.scan(lambda c, _: (c * 2, c), 1, None, length=5))
print(lax.scan(lambda c, x: (c - x, c), 0, jnp.arange(4), reverse=True))
print(lax.map(lambda x: x ** 2 + 1, jnp.arange(4)))
print(lax.associative_scan(jnp.add, jnp.arange(6)), lax.associative_scan(jnp.maximum, jnp.array([3, 1, 4, 1, 5])))


@jax.jit
def unrolled(x):
  for i in range(3):
    x = x * 2 + i
  return x


print(unrolled(jnp.array([1, 2])), lax.fori_loop(0, 10, lambda i, c: c + i, 0))

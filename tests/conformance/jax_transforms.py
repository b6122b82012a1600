"""vmap and grad of small functions with exact results."""
import jax
import jax.numpy as jnp

print(jax.vmap(lambda a, b: a @ b)(jnp.ones((3, 2)), jnp.arange(6.0).reshape(3, 2)))
print(jax.vmap(lambda a, b: a + b, in_axes=(0, None))(jnp.arange(3), 10), jax.vmap(jnp.sum, in_axes=1)(jnp.arange(6).reshape(2, 3)))
print(jax.vmap(lambda x: (x, {"d": x * 2}), out_axes=(0, 0))(jnp.arange(2)))
print(jax.grad(lambda x: x ** 2 + 3 * x)(2.0), jax.value_and_grad(lambda x: (x * x).sum())(jnp.arange(3.0)))
print(jax.grad(lambda p: p["w"] * 2 + p["b"] ** 2)({"w": 1.0, "b": 3.0}))
print(jax.jvp(lambda x: x * x, (3.0,), (1.0,)), jax.vjp(lambda a, b: a * b, 2.0, 5.0)[1](1.0), jax.jit(jax.grad(jnp.square))(4.0))

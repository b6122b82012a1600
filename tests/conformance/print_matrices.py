"""Arrays of rank two to four: nesting, blank lines, alignment over rows, empty axes."""
import jax.numpy as jnp

print(jnp.arange(6).reshape(2, 3))
print(repr(jnp.arange(6).reshape(2, 3)))
print(jnp.array([[1, 100], [-5, 2]]))
print(repr(jnp.array([[0.5, 1.25], [100.0, -2.0]])))
print(jnp.arange(12.0).reshape(2, 2, 3))
print(repr(jnp.arange(8).reshape(2, 2, 2)))
print(jnp.arange(16).reshape(2, 2, 2, 2))
print(repr(jnp.arange(3).reshape(1, 3, 1)))
print(jnp.eye(3), jnp.eye(2, dtype=bool), sep="\n")
print(jnp.zeros((0, 3)), repr(jnp.zeros((0, 3))), repr(jnp.zeros((2, 0))), jnp.zeros((2, 0, 3)), repr(jnp.zeros((2, 0, 3), jnp.int8)))
print(jnp.array([[1.0, jnp.nan], [jnp.inf, -2.5]]))
print(repr(jnp.arange(40.0).reshape(2, 20)))
print(jnp.arange(40).reshape(2, 20) * 12345)
print([jnp.arange(2), jnp.ones((2, 2))], (jnp.float32(1),), {"a": jnp.arange(3)})
print(str(jnp.array([[1]])), str(jnp.array(5)), repr(jnp.array([[[7]]])))

"""The rule of a custom_vjp may give cotangents of another float dtype than its argument has; the gradient keeps it."""

import jax
import jax.numpy as jnp


@jax.custom_vjp
def double(x):
    return x.astype(jnp.float32) * 2


double.defvjp(lambda x: (double(x), None), lambda _, g: (g * 2,))
x = jnp.arange(3, dtype=jnp.bfloat16)
print(jax.grad(lambda x: double(x).sum())(x))
print(jax.eval_shape(jax.grad(lambda x: double(x).sum()), x))
print(jax.vjp(double, x)[1](jnp.ones(3))[0].dtype)


@jax.custom_vjp
def wrong(x):
    return x.sum()


wrong.defvjp(lambda x: (wrong(x), None), lambda _, g: (jnp.ones((2, 2)) * g,))
try:
    jax.grad(wrong)(jnp.ones(3))
except ValueError as error:
    print(error)


@jax.custom_vjp
def of_tree(tree, y):
    return tree["a"].sum() + y


of_tree.defvjp(lambda t, y: (of_tree(t, y), None), lambda _, g: ({"a": jnp.ones((2, 2), jnp.bfloat16)}, g))
try:
    jax.grad(of_tree)({"a": jnp.ones(3)}, 1.0)
except ValueError as error:
    print(error)

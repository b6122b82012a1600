"""jax.jit: static arguments, retracing by shape and dtype, kwargs, pytrees, nested jit."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("mode", "times"))
def f(x, mode, times=1):
  print("trace", mode, times, x.shape)
  return x * times if mode == "mul" else x + times


x = jnp.arange(3)
print(f(x, "mul", times=2))
print(f(x, "mul", times=2))
print(f(x, "add"))
print(f(x, mode="add", times=5))
print(f(jnp.arange(2), "add"))


@functools.partial(jax.jit, static_argnums=(1,))
def power(x, n):
  print("trace power", n)
  result = 1
  for _ in range(n):
    result *= x
  return result


print(power(2, 3), power(3, 3), power(2.0, 3), power(2, 4))


@jax.jit
def inner(tree):
  print("trace inner", sorted(tree))
  return tree["a"] + tree["b"]


@jax.jit
def outer(x):
  print("trace outer")
  return inner({"b": x, "a": 2 * x})


print(outer(jnp.ones(2)), outer(jnp.zeros(2)))
print(jax.jit(lambda x: (x, {"y": x + 1}))(1))
print(jax.eval_shape(lambda a, b: a @ b, jax.ShapeDtypeStruct((2, 3), jnp.float32), jnp.ones((3, 4))))
print(jax.jit(lambda: 5)(), jax.jit(jnp.sin)(0.0), f.__name__)

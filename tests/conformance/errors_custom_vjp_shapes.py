"""jax.custom_vjp whose backward rule returns cotangents of other shapes than the arguments, plainly and under vmap."""
import jax
import jax.numpy as jnp

x = jnp.ones((8, 4))


def case(name, backward, *args, function=lambda v: v * 2, under_vmap=False):
  op = jax.custom_vjp(function)
  op.defvjp(lambda *a: (function(*a), a), backward)
  gradient = jax.grad(lambda *a: op(*a).sum(), argnums=tuple(range(len(args))))
  if under_vmap:
    gradient = jax.vmap(gradient)
  try:
    print(name, jax.tree.map(lambda g: (g.shape, g.dtype.name), gradient(*args)))
  except Exception as error:
    print(name, type(error).__name__, error)


def first(tree):
  return tree["a"]


def add(a, b):
  return a + b


case("same", lambda r, g: (g,), x)
case("a row", lambda r, g: (g[0],), x)
case("a scalar", lambda r, g: (g.sum(),), x)
case("a number", lambda r, g: (1.0,), x)
case("none", lambda r, g: (None,), x)
case("the second", lambda r, g: (g, g[:2]), x, x, function=add)
case("in a tree", lambda r, g: ({"a": g, "b": g[0]},), {"a": x, "b": x}, function=first)
case("part of a tree", lambda r, g: ({"a": g, "b": None},), {"a": x, "b": x}, function=first)
case("vmap", lambda r, g: (g,), x, under_vmap=True)
case("vmap scalar", lambda r, g: (g.sum(),), x, under_vmap=True)

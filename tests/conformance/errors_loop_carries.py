"""Carries that come back as something else: the message names the part, in the words of the loop that JAX makes."""
import jax
import jax.numpy as jnp
from jax import lax

z = jnp.zeros(3)


def case(name, function):
  try:
    print(name, function())
  except Exception as error:
    print(name, type(error).__name__, error)


case("fewer", lambda: lax.fori_loop(0, 3, lambda i, c: (c[0], c[1]), (z, 0, 1)))
case("dtype", lambda: lax.fori_loop(0, 3, lambda i, c: c.astype(jnp.int32), z))
case("shape", lambda: lax.fori_loop(0, 3, lambda i, c: (c[0], c[1][:2]), (z, z)))
case("in a dict", lambda: lax.fori_loop(0, 3, lambda i, c: {"a": c["a"], "b": c["b"][:1]}, {"a": z, "b": z}))
case("no return", lambda: lax.fori_loop(0, 3, lambda i, c: None, z))
case("list", lambda: lax.fori_loop(0, 3, lambda i, c: [c[0], c[1]], (z, z)))
case("key", lambda: lax.fori_loop(0, 3, lambda i, c: {"a": c["a"]}, {"a": z, "b": z}))
case("traced bound", lambda: jax.jit(lambda n: lax.fori_loop(0, n, lambda i, c: c[:2], z))(jnp.int32(3)))
case("several", lambda: lax.fori_loop(0, 3, lambda i, c: (c[0][:1], c[1].astype(int)), (z, z)))
case("while", lambda: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1][:2]), (0, z)))
case("while alone", lambda: lax.while_loop(lambda c: c[0] < 3, lambda c: c[0] + 1, (0, z)))
case("scan", lambda: lax.scan(lambda carry, x: (carry[:2], x), z, z))
case("scan tree", lambda: lax.scan(lambda carry, x: ((carry, 1), x), z, z))
case("no pair", lambda: lax.scan(lambda carry, x: carry, z, z))
case("three", lambda: lax.scan(lambda carry, x: (carry, x, 1), z, z))

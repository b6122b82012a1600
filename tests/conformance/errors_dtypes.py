"""dtype errors and what is silently converted: stores, bit operations on floats, unknown dtypes."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def case(name, function):
  try:
    print(name, function())
  except Exception as error:
    print(name, type(error).__name__)


def store(value):
  def kernel(o_ref):
    o_ref[...] = value()
  return lambda: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((2,), jnp.int32), interpret=True)()


case("int to int", store(lambda: jnp.ones(2, jnp.int32)))
case("int8 to int", store(lambda: jnp.ones(2, jnp.int8)))
case("float to int", store(lambda: jnp.ones(2, jnp.float32)))
case("bool to int", store(lambda: jnp.ones(2, bool)))
case("weak int", store(lambda: jnp.full(2, 5)))
case("scalar", store(lambda: 7))
case("float scalar", store(lambda: 7.5))
case("float & int", lambda: jnp.ones(1) & 1)
case("float << int", lambda: jnp.ones(1) << 1)
case("~float", lambda: ~jnp.ones(1))
case("bool - bool", lambda: jnp.ones(1, bool) - jnp.ones(1, bool))
case("-bool", lambda: -jnp.ones(1, bool))
case("unknown dtype", lambda: jnp.zeros(1, "float31"))
case("string", lambda: jnp.array("text"))
case("object", lambda: jnp.array([None]))
case("ragged", lambda: jnp.array([[1], [1, 2]]))
case("lax.add mixed", lambda: lax.add(jnp.ones(1), jnp.ones(1, jnp.int32)))
case("lax.fori carry", lambda: lax.fori_loop(0, 3, lambda i, c: c + 0.5, 1))
case("lax.while carry", lambda: lax.while_loop(lambda c: c.sum() < 5, lambda c: jnp.ones(3), jnp.ones(2)))
case("lax.cond branches", lambda: lax.cond(True, lambda: 1, lambda: jnp.ones(2)))
case("lax.scan length", lambda: lax.scan(lambda c, x: (c, x), 0, (jnp.ones(2), jnp.ones(3))))
case("lax.dot", lambda: lax.dot(jnp.ones((2, 3)), jnp.ones((2, 3))))
case("float8 add", lambda: (jnp.ones(1, jnp.float8_e4m3fn) + jnp.ones(1, jnp.float8_e4m3fn)).dtype)
case("sum of int8", lambda: jnp.ones(3, jnp.int8).sum().dtype)
case("too big an int", lambda: jnp.int32(2**40))
case("too big an int in array", lambda: jnp.array([2**40]))
case("int8 + 300", lambda: jnp.ones(1, jnp.int8) + 300)

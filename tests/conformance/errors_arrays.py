"""Arrays are immutable, and have no such attribute; index, truth and iteration errors."""
import jax
import jax.numpy as jnp
import numpy as np

x = jnp.arange(6).reshape(2, 3)


def case(name, function):
  try:
    print(name, function())
  except Exception as error:
    message = str(error)
    print(f"{name}: {type(error).__name__}" + (f": {message}" if len(message) < 90 and "\n" not in message else ""))


def assign():
  x[0, 0] = 5


def augmented():
  y = jnp.zeros(2)
  y += 1
  return y


case("assign", assign)
case("augmented", augmented)
case("attribute", lambda: x.nothing)
case("typo", lambda: jnp.arrange(3))
case("lax typo", lambda: jax.lax.sinn(1.0))
case("truth", lambda: bool(x))
case("if", lambda: 1 if x > 2 else 0)
case("int", lambda: int(x))
case("len of scalar", lambda: len(jnp.float32(1)))
case("iterate scalar", lambda: list(jnp.float32(1)))
case("too many indices", lambda: x[0, 0, 0])
case("string index", lambda: x["a"])
case("float index", lambda: x[0.5])
case("list index", lambda: x[[0, 1]])
case("hash", lambda: hash(x))
case("clamped", lambda: x[5, 5])
case("numpy index", lambda: np.arange(3)[7])
case("add string", lambda: x + "a")
case("add list", lambda: x + [1, 2, 3])
case("jnp list", lambda: jnp.sum([1, 2, 3]))
case("add None", lambda: x + None)
case("zeros of float", lambda: jnp.zeros(2.5))
case("negative shape", lambda: jnp.zeros((-1,)))
case("arange none", lambda: jnp.arange())
case("key twice", lambda: jax.random.uniform(5))
case("range of array", lambda: list(range(jnp.int32(3))))
case("split of two", lambda: len(jax.random.split(jax.random.key(0))))
case("missing argument", lambda: jnp.reshape(x))
case("unknown keyword", lambda: jnp.sum(x, axes=0))

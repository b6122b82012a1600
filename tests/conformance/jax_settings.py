"""Settings as context managers and decorators, and the ones that refuse: strict dtypes, ranks, old-style keys."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np


def attempt(label, function):
    try:
        value = function()
        print(label, "->", getattr(value, "dtype", value), getattr(value, "shape", ""))
    except Exception as error:
        print(label, "->", type(error).__name__, error)


x, n, half = jnp.ones(3), jnp.arange(3), jnp.ones(3, jnp.bfloat16)

with jax.numpy_dtype_promotion("strict"):
    attempt("float + 1", lambda: x + 1)
    attempt("int8 + 1", lambda: jnp.ones(2, jnp.int8) + 1)
    attempt("bf16 * 2", lambda: half * 2)
    attempt("1 + 1.0", lambda: jnp.add(1, 1.0))
    attempt("sin int", lambda: jnp.sin(n))
    attempt("int / 2", lambda: n / 2)
    attempt("mean int", lambda: jnp.mean(n))
    attempt("einsum asked", lambda: jnp.einsum("i,i->", x, half, preferred_element_type=jnp.float32))
    attempt("lax dot", lambda: jax.lax.dot(x, half))
    # The order of the names in the message is that of a set.
    for a, b in [(n, 1.0), (x > 0, 1), (x, n), (x, half), (n, n.astype(jnp.uint8)), (x > 0, x)]:
        try:
            print(jnp.add(a, b))
        except jax.dtypes.TypePromotionError as error:
            print("refused", a.dtype, getattr(b, "dtype", b), "=strict" in str(error), isinstance(error, ValueError))
attempt("afterwards", lambda: x + n)

with jax.numpy_rank_promotion("raise"):
    attempt("ranks", lambda: x + jnp.ones((2, 3)))
    attempt("scalar", lambda: x + 1)
    attempt("power", lambda: jnp.power(x, jnp.ones((2, 3))))
    attempt("where", lambda: jnp.where(True, x, jnp.ones((2, 3))))
with jax.numpy_rank_promotion("warn"), warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    attempt("warned", lambda: x + jnp.ones((2, 3)))
    print(len(caught), caught[0].category.__name__, str(caught[0].message).split(" Set ")[0])

with jax.legacy_prng_key("error"):
    attempt("old key", lambda: jax.random.uniform(np.zeros(2, np.uint32)))
    attempt("new key", lambda: jax.random.uniform(jax.random.key(0)))


@jax.numpy_rank_promotion("raise")
def decorated(a, b):
    return a + b


attempt("decorated", lambda: decorated(x, jnp.ones((2, 3))))
print(decorated.__name__, jax.config.jax_numpy_rank_promotion, jax.config.jax_enable_x64)
with jax.enable_x64():
    print(jnp.ones(2).dtype, jax.config.jax_enable_x64)
print(jnp.ones(2).dtype)
attempt("unknown", lambda: jax.config.update("jax_no_such_option", 1))
attempt("wrong word", lambda: jax.config.update("jax_numpy_rank_promotion", "perhaps"))
attempt("no word", lambda: jax.numpy_rank_promotion())

"""`jnp.vectorize`: plain, with a signature, with arguments left out."""

import jax.numpy as jnp

x = jnp.arange(24.0).reshape(4, 2, 3)
matvec = jnp.vectorize(lambda m, v: m @ v, signature="(m,n),(n)->(m)")
print(matvec(x, jnp.arange(3.0)))
print(matvec(x[0], jnp.arange(12.0).reshape(4, 3)).shape)
both = jnp.vectorize(lambda v: (v.min(), v - v.mean()), signature="(n)->(),(n)")
low, rest = both(x)
print(low, rest.shape)
print(jnp.vectorize(lambda a, b: a * 2 + b)(x[0], jnp.arange(3.0)))
power = jnp.vectorize(lambda v, n: v**n, excluded={1})
print(power(jnp.arange(4.0), 3))
scaled = jnp.vectorize(lambda v, *, by: v.sum() * by, signature="(n)->()", excluded={"by"})
print(scaled(x, by=2.0))
for call in (
    lambda: jnp.vectorize(lambda a: a, signature="(n->(n)"),
    lambda: matvec(x, jnp.arange(4.0)),
    lambda: matvec(x),
    lambda: matvec(jnp.float32(1.0), jnp.arange(4.0)),
    lambda: jnp.vectorize(lambda v: v, signature="(n)->()")(x),
):
    try:
        result = call()
        if callable(result):
            result(x)
        print("fine")
    except (ValueError, TypeError) as e:
        print(type(e).__name__)

"""Weak types through loops and branches: what the counter is, what carries and results become, and how often bodies run."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def counter(name, *bounds, **options):
    def body(i, carry):
        print(name, i.dtype, i.weak_type, (jnp.ones(2, jnp.int8) * i).dtype)
        return carry

    lax.fori_loop(*bounds, body, 0, **options)


counter("numbers", 0, 3)
counter("an array and a number", jnp.int32(0), 3)
counter("arrays", jnp.int32(0), jnp.int32(3))
counter("small arrays", jnp.int8(0), jnp.int8(3))
counter("unrolled", 0, 3, unroll=True)
jax.jit(lambda n: counter("to a traced number", 0, n))(3)
jax.jit(lambda n: counter("to a traced array", 0, n))(jnp.int32(3))
jax.jit(lambda n: counter("from a traced number", n, 5))(3)
jax.jit(lambda n: counter("from a traced array", n, 5))(jnp.int32(3))


def kernel(x_ref, o_ref):
    counter("in a kernel", 0, 3)
    counter("from a program id", pl.program_id(0), 4)
    counter("to a program id", 0, pl.program_id(0))

    @pl.loop(0, 6, step=2)
    def _(i):
        print("pl.loop", i.weak_type)

    def add(i, total):
        return total + x_ref[...] * i

    o_ref[...] = lax.fori_loop(0, 3, add, jnp.zeros_like(x_ref[...]))


small = jax.ShapeDtypeStruct((2,), jnp.int8)
print(repr(pl.pallas_call(kernel, out_shape=small, interpret=True, grid=(1,))(jnp.array([1, 2], jnp.int8))))

yes = jnp.array(True)
print(repr(lax.cond(yes, lambda x: x * 2, lambda x: x, 1.0)), repr(lax.switch(1, [lambda x: x * 2, lambda x: x], 1.0)))
print(repr(lax.cond(yes, lambda: 1.0, lambda: jnp.float32(2))))
print(repr(lax.fori_loop(0, 3, lambda i, c: c + i, 0)), repr(lax.fori_loop(0, 3, lambda i, c: c + 1.5, 0.0)))
print(repr(lax.fori_loop(0, 3, lambda i, c: c + jnp.float32(1), 0.0)))
print(repr(lax.fori_loop(0, 3, lambda i, c: c + i, jnp.int8(0))))
print(repr(lax.while_loop(lambda c: c < 3, lambda c: c + jnp.float32(1), 0.0)))
print(repr(jax.nn.softmax(jnp.stack([1.0, 2.0]))), repr(jax.nn.logsumexp(jnp.stack([1.0, 2.0]))))
print(jax.random.key_impl(jax.random.key(0)), jnp.linalg.slogdet(jnp.eye(2)))


def once(i, c):
    print("traced")
    return c + 1


print(lax.fori_loop(0, 3, once, 0))

refused = {
    "dtypes": lambda: lax.cond(yes, lambda: 1.0, lambda: 2),
    "paths": lambda: lax.cond(yes, lambda: (1, 2), lambda: (1, jnp.ones(2))),
    "structures": lambda: lax.cond(yes, lambda: (1, 2), lambda: 1),
    "switch": lambda: lax.switch(jnp.array(1), [lambda: 1, lambda: 1.5]),
    "length": lambda: lax.scan(lambda c, a: (c, a), 0, jnp.ones(3), length=4),
    "condition": lambda: lax.while_loop(lambda c: c, lambda c: c, 0),
    "axis": lambda: lax.cumsum(jnp.ones((2, 3)), axis=5),
    "axes": lambda: lax.reduce_sum(jnp.ones(2), (3,)),
    "largest": lambda: lax.argmax(jnp.ones(3), 4, jnp.int32),
    "negative": lambda: lax.iota(jnp.float32, -1),
}
for name, run in refused.items():
    try:
        run()
    except (TypeError, ValueError) as error:
        lines = str(error).splitlines()
        print(name, type(error).__name__, *[line for line in lines if " is <lambda>" not in line], sep="\n  ")

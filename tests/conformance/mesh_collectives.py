"""Collectives over the named axis of vmap."""

import jax
import jax.numpy as jnp
from jax import lax

x = jnp.arange(8.0)
rows = jnp.arange(64.0).reshape(8, 8)


def over(f, x=x, **options):
    return jax.vmap(f, axis_name="i", **options)(x)


def refused(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)


print(over(lambda x: lax.psum(x, "i")))
print(over(lambda x: x - lax.pmean(x, "i")))
print(over(lambda x: lax.pmax(x, "i") - lax.pmin(x, "i")))
print(over(lambda x: lax.psum(x, "i"), out_axes=None))
print(over(lambda x: lax.psum(x > 2, "i")))
print(over(lambda x: lax.pmean({"a": x, "b": 2 * x}, "i")))
print(over(lambda x: lax.axis_index("i") * 10 + x.astype(int)))
print(over(lambda x: lax.axis_size("i") * x))
print(over(lambda x: lax.psum(2, "i")), over(lambda x: lax.psum(jnp.ones(2), "i")).shape)
print(over(lambda x: lax.ppermute(x, "i", [(i, (i + 1) % 8) for i in range(8)])))
print(over(lambda x: lax.pshuffle(x, "i", [7, 6, 5, 4, 3, 2, 1, 0])))
print(over(lambda x: lax.all_gather(x, "i"))[3])
print(over(lambda x: lax.all_gather(x[:2], "i", axis=1), rows)[0])
print(over(lambda x: lax.all_gather(x[:2], "i", tiled=True), rows)[5])
print(over(lambda x: lax.psum_scatter(x, "i"), rows))
print(over(lambda x: lax.psum_scatter(x, "i", tiled=True), rows).shape)
print(over(lambda x: lax.all_to_all(x, "i", 0, 0), rows))
print(over(lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), rows)[1])
print(over(lambda x: lax.fori_loop(0, 3, lambda i, c: c + lax.psum(x, "i"), 0.0)))
print(over(lambda x: lax.cond(x.sum() > 5, lambda: lax.axis_index("i"), lambda: -1)))

nested = jax.vmap(
    jax.vmap(lambda x: (lax.psum(x, "i"), lax.psum(x, ("i", "j")), lax.axis_index(("i", "j"))), axis_name="j"),
    axis_name="i",
)
for result in nested(jnp.arange(6.0).reshape(2, 3)):
    print(result)
inner = jax.vmap(jax.vmap(lambda x: lax.all_gather(x, "i"), axis_name="j"), axis_name="i")
print(inner(jnp.arange(6.0).reshape(2, 3))[1])

print(over(jax.grad(lambda x: lax.psum(x**2, "i"))))
print(over(jax.grad(lambda x: lax.pmean(x * lax.axis_index("i"), "i"))))
print(jax.grad(lambda x: over(lambda x: lax.psum(x**2, "i") * x, x).sum())(x))
print(over(jax.grad(lambda x: lax.ppermute(x**2, "i", [(i, (i + 1) % 8) for i in range(8)]) * lax.axis_index("i"))))
print(over(jax.grad(lambda x: (lax.all_gather(x, "i") * jnp.arange(8.0)).sum())))
print(over(jax.grad(lambda x: (lax.psum_scatter(x, "i") ** 2).sum()), rows)[0])
print(over(lambda x: jax.jvp(lambda x: lax.psum(x**2, "i"), (x,), (1.0,))))

refused(lambda: lax.psum(1.0, "i"))
refused(lambda: lax.axis_index("i"))
refused(lambda: lax.axis_size("i"))
refused(lambda: lax.pmean(jnp.ones(3), "i"))
refused(lambda: lax.all_gather(jnp.ones(3), "i"))
refused(lambda: over(lambda x: lax.psum(x, "k")))
refused(lambda: over(lambda x: lax.axis_index("k")))
refused(lambda: over(lambda x: lax.ppermute(x, "i", [(0, 1)])))
refused(lambda: over(lambda x: lax.pshuffle(x, "i", [0, 0])))
refused(lambda: over(lambda x: lax.all_gather(x, "i", tiled=True)))
refused(lambda: over(lambda x: lax.all_to_all(x, "i", 0, 0), rows[:, :4]))
refused(lambda: over(lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), rows[:, :4]))
refused(lambda: over(lambda x: lax.psum_scatter(x, "i", tiled=True), rows[:, :4]))
refused(lambda: over(lambda x: x, out_axes=None))

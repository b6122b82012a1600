"""lax: products in groups, of rows, of terms and of a batch, what is wrong with them, and their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Numbers = lax.RaggedDotDimensionNumbers


def whole(*shape, step=3):
    """Small whole numbers, so that sums are exact in any order."""
    return jnp.asarray((np.arange(np.prod(shape)) * step % 7 - 3).reshape(shape), jnp.float32)


def show(name, function, *arguments):
    try:
        for result in jax.tree.leaves(function(*arguments)):
            print(name, result.dtype, result.shape, np.asarray(result, np.float32).ravel().tolist())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def product(dot, ragged, group, **options):
    numbers = Numbers(dot, ragged, group)
    return lambda *arguments: lax.ragged_dot_general(*arguments, numbers, **options)


sizes = jnp.array([1, 0, 3], jnp.int32)

rows = product((((1,), (1,)), ((), ())), [0], [0])
show("rows", rows, whole(4, 3), whole(3, 3, 2, step=2), sizes)
show("fewer rows", rows, whole(5, 3), whole(3, 3, 2, step=2), sizes)
show("plain", lax.ragged_dot, whole(4, 3), whole(3, 3, 2, step=2), sizes)
show("groups last", product((((1,), (0,)), ((), ())), [0], [2]), whole(4, 3), whole(3, 2, 3, step=2), sizes)
show("in jit", jax.jit(rows), whole(4, 3), whole(3, 3, 2, step=2), sizes)

terms = product((((0,), (0,)), ((), ())), [0], [])
show("terms", terms, whole(4, 3), whole(4, 2, step=2), sizes)
show("fewer terms", terms, whole(6, 3), whole(6, 2, step=2), sizes)
show("terms of bf16", terms, whole(4, 3).astype(jnp.bfloat16), whole(4, 2, step=2).astype(jnp.bfloat16), sizes)
wide = product((((0,), (0,)), ((), ())), [0], [], preferred_element_type=jnp.float32)
show("wide", wide, whole(4, 3).astype(jnp.bfloat16), whole(4, 2, step=2).astype(jnp.bfloat16), sizes)

batched = jnp.array([[1, 3], [4, 0]], jnp.int32)
each = product((((2,), (2,)), ((0,), (1,))), [1], [0])
show("rows of a batch", each, whole(2, 4, 3), whole(2, 2, 3, 2, step=2), batched)
show("rows of all", each, whole(2, 4, 3), whole(2, 2, 3, 2, step=2), jnp.array([1, 3]))
each = product((((1,), (1,)), ((0,), (0,))), [1], [])
show("terms of a batch", each, whole(2, 4, 3), whole(2, 4, 2, step=2), batched)
each = product((((1,), (1,)), ((0,), (0,))), [0], [])
show("a batch", each, whole(2, 4, 3), whole(2, 4, 2, step=2), jnp.array([1, 1]))

for name, function, arguments in (
    ("two ragged", product((((1,), (1,)), ((), ())), [0, 1], [0]), (whole(4, 3), whole(3, 3, 2), sizes)),
    ("no such", product((((1,), (1,)), ((), ())), [2], [0]), (whole(4, 3), whole(3, 3, 2), sizes)),
    ("no group", product((((1,), (1,)), ((), ())), [0], []), (whole(4, 3), whole(3, 3, 2), sizes)),
    ("group of terms", product((((0,), (0,)), ((), ())), [0], [1]), (whole(4, 3), whole(4, 2), sizes)),
    ("group summed", product((((1,), (1,)), ((), ())), [0], [1]), (whole(4, 3), whole(3, 3, 2), sizes)),
    ("group far", product((((1,), (1,)), ((), ())), [0], [3]), (whole(4, 3), whole(3, 3, 2), sizes)),
    ("other groups", rows, (whole(4, 3), whole(2, 3, 2), sizes)),
    ("a number", rows, (whole(4, 3), whole(3, 3, 2), jnp.int32(4))),
    ("other sizes", rows, (whole(4, 3), whole(3, 3, 2), jnp.ones((2, 3), jnp.int32))),
    ("sizes of floats", rows, (whole(4, 3), whole(3, 3, 2), jnp.array([1.0, 0.0, 3.0]))),
    ("other terms", rows, (whole(4, 2), whole(3, 3, 2), sizes)),
):
    show(name, function, *arguments)


def loss(a, b):
    return (rows(a, b, sizes) * whole(4, 2, step=5)).sum()


show("gradient", jax.grad(loss, (0, 1)), whole(4, 3), whole(3, 3, 2, step=2))
show("tangents", lambda a, b: jax.jvp(loss, (a, b), (a, b)), whole(4, 3), whole(3, 3, 2, step=2))
print(Numbers((((1,), (1,)), ((), ())), [0], [0]) == Numbers((([1], [1]), ([], [])), (0,), (0,)))

"""What `jax.eval_shape` takes: arrays, numbers, what declares a shape and a dtype, and the static arguments of jitted functions."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnames=("sizes",), static_argnums=(2,))
def spread(x, pair, axis, *, sizes):
    first, second = pair
    assert isinstance(sizes, tuple) and isinstance(axis, int)
    for size in sizes:
        x = jnp.concatenate([x] * size, axis)
    return x * first, second


x = jax.ShapeDtypeStruct((4, 2), jnp.bfloat16)
print(jax.eval_shape(spread, x, (1, 2.0), 1, sizes=(2, 3)))
print(jax.eval_shape(lambda a, b, c: a * b + c, 3, 2.0, jnp.ones(3)))
print(jax.eval_shape(lambda tree: tree, {"flag": True, "weak": jax.ShapeDtypeStruct((2,), jnp.float32, weak_type=True)}))
for wrong in ["text", object()]:
    try:
        jax.eval_shape(lambda a: a, wrong)
    except TypeError as error:
        print(type(error).__name__)

"""`jax.flatten_util`: a pytree of arrays as one vector, and back."""
import functools
import math

import jax
import jax.numpy as jnp
from jax import lax


def ravel_pytree(pytree):
    """The leaves in one vector, and a function that puts such a vector together again."""
    leaves, tree = jax.tree.flatten(pytree)
    flat, apart = _ravel(leaves)
    return flat, functools.partial(_together, tree, apart)


def _together(tree, apart, flat):
    return jax.tree.unflatten(tree, apart(flat))


def _ravel(leaves):
    if not leaves:
        return jnp.zeros(0, jnp.float32), lambda _: []
    dtypes = [jnp.asarray(leaf).dtype for leaf in leaves]
    dtype = jnp.result_type(*dtypes)
    shapes = [jnp.shape(leaf) for leaf in leaves]
    vector = lax.concatenate([lax.convert_element_type(leaf, dtype).ravel() for leaf in leaves], 0)
    if all(own == dtype for own in dtypes):
        # A vector of another dtype is taken apart as well.
        return vector, functools.partial(_apart, shapes)
    return vector, functools.partial(_apart_as, shapes, dtypes, dtype)


def _apart(shapes, vector):
    parts = lax.split(vector, [math.prod(shape) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(parts, shapes)]


def _apart_as(shapes, dtypes, dtype, vector):
    if vector.dtype != dtype:
        raise TypeError(f"unravel function given array of dtype {vector.dtype}, but expected dtype {dtype}")
    return [lax.convert_element_type(part, own) for part, own in zip(_apart(shapes, vector), dtypes)]

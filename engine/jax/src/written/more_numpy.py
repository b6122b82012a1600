"""Functions of `jax.numpy` and `jax.numpy.linalg` that are compositions."""
import functools
import re

import jax
import jax.numpy as jnp


def _core_dimensions(signature):
    """Names of the dimensions that each argument and each result of `(m,n),(n)->(m)` has for itself."""
    group = r"\(\s*(?:\w+\s*(?:,\s*\w+\s*)*)?,?\s*\)"
    groups = rf"{group}(?:\s*,\s*{group})*"
    if not re.match(rf"^\s*{groups}\s*->\s*{groups}\s*$", signature):
        raise ValueError(f"not a valid gufunc signature: {signature}")
    sides = [re.findall(group, side) for side in signature.split("->")]
    return [[tuple(re.findall(r"\w+", names)) for names in side] for side in sides]


def _bind_core(sizes, names, shape, what):
    """Checks the last dimensions of a shape against what other arguments said of them."""
    if len(shape) < len(names):
        raise ValueError(f"{what} with shape {shape} does not have enough dimensions for all core dimensions {names}")
    for name, size in zip(names, shape[len(shape) - len(names):]):
        if sizes.setdefault(name, size) != size:
            raise ValueError(f"inconsistent size for core dimension {name!r}: {size} vs {sizes[name]} in {what}")


def vectorize(pyfunc, *, excluded=frozenset(), signature=None):
    if any(not isinstance(name, (str, int)) for name in excluded):
        raise TypeError(f"jax.numpy.vectorize can only exclude integer or string arguments, but excluded={set(excluded)!r}")
    if any(isinstance(name, int) and name < 0 for name in excluded):
        raise ValueError(f"excluded={set(excluded)!r} contains negative numbers")

    @functools.wraps(pyfunc)
    def wrapped(*args, **kwargs):
        mapped = [i for i in range(len(args)) if i not in excluded]

        def call(*arrays):
            given = list(args)
            for i, array in zip(mapped, arrays):
                given[i] = array
            return pyfunc(*given, **kwargs)

        arrays = [jnp.asarray(args[i]) for i in mapped]
        inputs, outputs = [()] * len(arrays), None
        if signature is not None:
            inputs, outputs = _core_dimensions(signature)
            if len(inputs) != len(arrays):
                raise TypeError(f"wrong number of positional arguments: expected {len(inputs)}, got {len(arrays)}")
        sizes = {}
        for i, (array, names) in enumerate(zip(arrays, inputs)):
            _bind_core(sizes, names, array.shape, f"argument {i}")
        outer = [array.shape[: array.ndim - len(names)] for array, names in zip(arrays, inputs)]
        batch = jnp.broadcast_shapes(*outer)
        arrays = [jnp.broadcast_to(a, batch + a.shape[len(own):]) for a, own in zip(arrays, outer)]

        def checked(*arrays):
            results = call(*arrays)
            if outputs is None:
                return results
            listed = results if isinstance(results, tuple) else (results,)
            if len(listed) != len(outputs):
                raise TypeError(f"wrong number of outputs from vectorized function: expected {len(outputs)}, got {len(listed)}")
            for i, (result, names) in enumerate(zip(listed, outputs)):
                if jnp.ndim(result) != len(names):
                    raise ValueError(f"output {i} with shape {jnp.shape(result)} does not have the core dimensions {names}")
                _bind_core(sizes, names, jnp.shape(result), f"output {i}")
            return results

        for _ in batch:
            checked = jax.vmap(checked)
        return checked(*arrays)

    return wrapped


def put_along_axis(arr, indices, values, axis, inplace=True, *, mode=None):
    if inplace:
        raise ValueError("jax.numpy.put_along_axis cannot modify arrays in-place, because JAX arrays are immutable. "
                         "Pass inplace=False to instead return an updated array.")
    arr = jnp.asarray(arr)
    if axis is None:
        return put_along_axis(arr.ravel(), indices, values, 0, inplace=False, mode=mode).reshape(arr.shape)
    axis = axis % arr.ndim
    indices = jnp.asarray(indices)
    shape = jnp.broadcast_shapes(arr.shape[:axis] + (1,) + arr.shape[axis + 1:],
                                 indices.shape[:axis] + (1,) + indices.shape[axis + 1:])
    shape = shape[:axis] + (indices.shape[axis],) + shape[axis + 1:]
    where = [jax.lax.broadcasted_iota(jnp.int32, shape, d) for d in range(arr.ndim)]
    where[axis] = jnp.broadcast_to(indices, shape)
    return arr.at[tuple(where)].set(values, mode=mode)


def trim_zeros(filt, trim="fb"):
    filt = jnp.asarray(filt)
    kept = jnp.nonzero(filt)[0]
    if kept.size == 0:
        return filt[:0]
    start = int(kept[0]) if "f" in trim.lower() else 0
    stop = int(kept[-1]) + 1 if "b" in trim.lower() else filt.size
    return filt[start:stop]


def _aligned(a1, a2):
    a1, a2 = jnp.atleast_1d(jnp.asarray(a1)), jnp.atleast_1d(jnp.asarray(a2))
    size = max(a1.size, a2.size)
    return [jnp.concatenate([jnp.zeros(size - a.size, a.dtype), a]) for a in (a1, a2)]


def polyadd(a1, a2):
    a1, a2 = _aligned(a1, a2)
    return a1 + a2


def polysub(a1, a2):
    a1, a2 = _aligned(a1, a2)
    return a1 - a2


def polymul(a1, a2, *, trim_leading_zeros=False):
    a1, a2 = jnp.atleast_1d(jnp.asarray(a1)), jnp.atleast_1d(jnp.asarray(a2))
    if trim_leading_zeros:
        a1, a2 = trim_zeros(a1, "f"), trim_zeros(a2, "f")
    return jnp.convolve(a1, a2)


def polyder(p, m=1):
    p = jnp.asarray(p)
    for _ in range(m):
        degree = p.size - 1
        p = p[:-1] * jnp.arange(degree, 0, -1, dtype=p.dtype)
    return p


def polyint(p, m=1, k=None):
    p = jnp.asarray(p) * 1.0
    constants = [0.0] * m if k is None else list(jnp.atleast_1d(jnp.asarray(k) * 1.0)) * (m if jnp.ndim(k) == 0 else 1)
    for constant in constants:
        p = jnp.concatenate([p / jnp.arange(p.size, 0, -1, dtype=p.dtype), jnp.reshape(constant, (1,)).astype(p.dtype)])
    return p


def diag_indices_from(arr):
    arr = jnp.asarray(arr)
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    if any(extent != arr.shape[0] for extent in arr.shape):
        raise ValueError("All dimensions of input must be of equal length")
    return jnp.diag_indices(arr.shape[0], ndim=arr.ndim)


def mask_indices(n, mask_func, k=0, *, size=None):
    return jnp.nonzero(mask_func(jnp.ones((n, n)), k), size=size)


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    return jnp.linalg.norm(x, ord=ord, keepdims=keepdims, axis=(-2, -1))


def cross(x1, x2, /, *, axis=-1):
    x1, x2 = jnp.asarray(x1), jnp.asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors, but they have "
                         f"x1.shape[axis]={x1.shape[axis]} and x2.shape[axis]={x2.shape[axis]} dimensions.")
    return jnp.cross(x1, x2, axis=axis)


def diagonal(x, /, *, offset=0):
    return jnp.diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x, /, *, offset=0, dtype=None):
    return jnp.trace(x, offset=offset, axis1=-2, axis2=-1, dtype=dtype)


def matmul(x1, x2, /, *, precision=None, preferred_element_type=None):
    return jnp.matmul(x1, x2, precision=precision, preferred_element_type=preferred_element_type)


def vecdot(x1, x2, /, *, axis=-1, precision=None, preferred_element_type=None):
    return jnp.vecdot(x1, x2, axis=axis, precision=precision, preferred_element_type=preferred_element_type)


def tensordot(x1, x2, /, *, axes=2, precision=None, preferred_element_type=None):
    return jnp.tensordot(x1, x2, axes=axes, precision=precision, preferred_element_type=preferred_element_type)

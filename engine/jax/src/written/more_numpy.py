"""Functions of `jax.numpy` and `jax.numpy.linalg` that are compositions."""
import collections
import functools
import math
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


UniqueAllResult = collections.namedtuple("_UniqueAllResult", ["values", "indices", "inverse_indices", "counts"])
UniqueCountsResult = collections.namedtuple("_UniqueCountsResult", ["values", "counts"])
UniqueInverseResult = collections.namedtuple("_UniqueInverseResult", ["values", "inverse_indices"])


def unique_all(x, /, *, size=None, fill_value=None):
    return UniqueAllResult(*jnp.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False,
                                       size=size, fill_value=fill_value))


def unique_counts(x, /, *, size=None, fill_value=None):
    return UniqueCountsResult(*jnp.unique(x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value))


def unique_inverse(x, /, *, size=None, fill_value=None):
    return UniqueInverseResult(*jnp.unique(x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value))


def poly(seq_of_zeros):
    zeros = jnp.atleast_1d(_inexact(seq_of_zeros))
    if zeros.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if zeros.size == 0:
        return jnp.ones((), zeros.dtype)
    product = jnp.ones(1, zeros.dtype)
    for zero in zeros:
        product = jnp.convolve(product, jnp.stack([jnp.ones((), zeros.dtype), -zero]), mode="full")
    return product


def _inexact(*arrays):
    dtype = jnp.result_type(*arrays)
    if not jnp.issubdtype(dtype, jnp.inexact):
        dtype = jnp.result_type(float)
    arrays = [jnp.asarray(array, dtype) for array in arrays]
    return arrays[0] if len(arrays) == 1 else arrays


def polydiv(u, v, *, trim_leading_zeros=False):
    u, v = _inexact(u, v)
    rounds = len(u) - len(v) + 1
    scale = 1.0 / v[0]
    quotient = jnp.zeros(max(rounds, 1), u.dtype)
    for k in range(rounds):
        digit = scale * u[k]
        quotient = quotient.at[k].set(digit)
        u = u.at[k:k + len(v)].add(-digit * v)
    if trim_leading_zeros:
        small = jnp.abs(u) <= math.sqrt(float(jnp.finfo(u.dtype).eps))
        u = u[int(jnp.argmin(small)):]
    return quotient, u


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    x, y = _inexact(x), _inexact(y)
    order = deg + 1
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if rcond is None:
        rcond = len(x) * float(jnp.finfo(x.dtype).eps)
    matrix, values = jnp.vander(x, order), y
    if w is not None:
        w = _inexact(w)
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        matrix = matrix * w[:, None]
        values = values * (w[:, None] if values.ndim == 2 else w)
    scale = jnp.sqrt((matrix * matrix).sum(axis=0))
    matrix = matrix / scale[None, :]
    solution, residuals, rank, singular = jnp.linalg.lstsq(matrix, values, rcond)
    solution = (solution.T / scale[None, :]).T if solution.ndim > 1 else solution / scale
    if full:
        return solution, residuals, rank, singular, jnp.asarray(rcond)
    if not cov:
        return solution
    base = jnp.linalg.inv(jnp.dot(matrix.T, matrix)) / jnp.outer(scale, scale)
    if cov == "unscaled":
        factor = jnp.array(1.0)
    else:
        if len(x) <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / (len(x) - order)
    if y.ndim == 1:
        return solution, base * jnp.atleast_1d(factor)[None]
    return solution, base[:, :, None] * jnp.atleast_1d(factor)[None, None, :]


def histogramdd(sample, bins=10, range=None, weights=None, density=None):
    if weights is None:
        sample = _inexact(sample)
    else:
        if jnp.shape(weights) != jnp.shape(sample)[:1]:
            raise ValueError("should have one weight for each sample.")
        sample, weights = _inexact(sample, weights)
    count, dims = jnp.shape(sample)
    if range is not None and (len(range) != dims or any(r is not None and jnp.shape(r)[0] != 2 for r in range)):
        raise ValueError(f"For sample.shape={(count, dims)}, range must be a sequence of {dims} pairs or Nones; got "
                         f"range={range!r}")
    try:
        bins = list(bins)
    except TypeError:
        bins = dims * [bins]
    else:
        if len(bins) != dims:
            raise ValueError("should be a bin for each dimension.")
    places, edges = [], []
    for i, each in enumerate(bins):
        column = sample[:, i]
        found = jnp.histogram_bin_edges(column, each, None if range is None else range[i], weights)
        place = jnp.searchsorted(found, column, side="right")
        places.append(jnp.where(column == found[-1], place - 1, place))
        edges.append(found)
    extents = tuple(len(found) + 1 for found in edges)
    flat = jnp.ravel_multi_index(tuple(places), extents, mode="clip")
    counts = jnp.bincount(flat, weights, length=math.prod(extents)).reshape(extents)[dims * (slice(1, -1),)]
    if density:
        counts = counts.astype(sample.dtype)
        counts = counts / counts.sum()
        for widths in jnp.ix_(*(jnp.diff(found) for found in edges)):
            counts = counts / widths
    return counts, edges


def histogram2d(x, y, bins=10, range=None, weights=None, density=None):
    try:
        given = len(bins)
    except TypeError:
        given = 1
    if given not in (1, 2):
        bins = [jnp.asarray(bins)] * 2
    counts, edges = histogramdd(jnp.stack([jnp.asarray(x), jnp.asarray(y)], axis=1), bins, range, weights, density)
    return counts, edges[0], edges[1]


def i0(x):
    return jax.scipy.special.i0(_inexact(x))


def kaiser(M, beta):
    if M <= 1:
        return jnp.ones(M, jnp.result_type(float))
    n = jnp.arange(M, dtype=jnp.result_type(float))
    alpha = 0.5 * (M - 1)
    return i0(beta * jnp.sqrt(1 - ((n - alpha) / alpha) ** 2)) / i0(beta)


def place(arr, mask, vals, *, inplace=True):
    if inplace:
        raise ValueError("jax.numpy.place cannot modify arrays in-place, because JAX arrays are immutable. Pass "
                         "inplace=False to instead return an updated array.")
    arr, vals = jnp.asarray(arr), jnp.ravel(jnp.asarray(vals))
    mask = jnp.asarray(mask).astype(bool)
    if mask.size != arr.size:
        raise ValueError("place: arr and mask must be the same size")
    if not vals.size:
        raise ValueError("Cannot place values from an empty array")
    if not arr.size:
        return arr
    indices = jnp.where(mask.ravel(), size=mask.size, fill_value=mask.size)[0]
    values = jnp.resize(vals, indices.shape).astype(arr.dtype)
    return arr.ravel().at[indices].set(values, mode="drop").reshape(arr.shape)


def put(a, ind, v, mode=None, *, inplace=True):
    if inplace:
        raise ValueError("jax.numpy.put cannot modify arrays in-place, because JAX arrays are immutable. Pass "
                         "inplace=False to instead return an updated array.")
    a, indices, values = jnp.asarray(a), jnp.ravel(jnp.asarray(ind)), jnp.ravel(jnp.asarray(v))
    if not a.size or not indices.size or not values.size:
        return a
    values = jnp.resize(values, indices.shape).astype(a.dtype)
    if mode is None:
        how = "drop"
    elif mode == "clip":
        indices, how = jnp.clip(indices, 0, a.size - 1), "promise_in_bounds"
    elif mode == "wrap":
        indices, how = indices % a.size, "promise_in_bounds"
    else:
        raise ValueError(f"mode should be one of 'wrap' or 'clip'; got {mode=}")
    return a.ravel().at[indices].set(values, mode=how).reshape(a.shape)


SlogdetResult = collections.namedtuple("SlogdetResult", ["sign", "logabsdet"], module="jax._src.numpy.linalg")


def slogdet(a, *, method=None):
    return SlogdetResult(*jnp.linalg._slogdet(a))

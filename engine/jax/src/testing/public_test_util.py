"""How close is close, by dtype; derivatives against finite differences."""

import functools
import operator

import jax
import jax.numpy as jnp
import numpy as np

EPS = 1e-4

_EXACT = ["bool", "int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4", "uint8", "uint16", "uint32", "uint64"]
_EIGHT_BITS = [
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
]


def _by_dtype(table):
    """Tolerances by dtype; names that are no dtype here are left out."""
    result = {}
    for name, value in table.items():
        dtype = _named(name)
        if dtype is not None:
            result[dtype] = value
    return result


def _named(name):
    scalar = getattr(jnp, name, None) or getattr(np, name, None)
    try:
        return np.dtype(scalar) if scalar is not None else np.dtype(name)
    except (TypeError, AttributeError):
        return None


_default_tolerance = _by_dtype(
    {name: 0 for name in _EXACT}
    | {name: 1e-1 for name in _EIGHT_BITS}
    | {"float4_e2m1fn": 1.0, "float8_e8m0fnu": 1.0, "bfloat16": 1e-2, "float16": 1e-3}
    | {"float32": 1e-6, "float64": 1e-15, "complex64": 1e-6, "complex128": 1e-15}
)

default_gradient_tolerance = _by_dtype(
    {name: 1e-1 for name in _EIGHT_BITS}
    | {"float4_e2m1fn": 1.0, "float8_e8m0fnu": 1.0, "bfloat16": 1e-1, "float16": 1e-2}
    | {"float32": 2e-3, "float64": 1e-5, "complex64": 1e-3, "complex128": 1e-5}
)


def default_tolerance():
    return _default_tolerance


def _dtype(x):
    if hasattr(x, "dtype"):
        return x.dtype
    if isinstance(x, (bool, int, float, complex)):
        return jnp.asarray(x).dtype
    return np.asarray(x).dtype


def _canonical(dtype):
    return jax.dtypes.canonicalize_dtype(np.dtype(dtype))


def tolerance(dtype, tol=None):
    """The tolerance for a dtype: given for all, given by dtype, or the default."""
    tol = {} if tol is None else tol
    if not isinstance(tol, dict):
        return tol
    tol = {np.dtype(key): value for key, value in tol.items()}
    dtype = _canonical(dtype)
    return tol.get(dtype, default_tolerance()[dtype])


def _compared(x):
    """numpy compares small floats and small integers in larger types."""
    x = np.asarray(x)
    name = x.dtype.name
    if name.startswith(("bfloat16", "float8", "float4")):
        return x.astype(np.float32)
    if name in ("int2", "int4"):
        return x.astype(np.int8)
    if name in ("uint2", "uint4"):
        return x.astype(np.uint8)
    return x


def _assert_numpy_allclose(a, b, atol=None, rtol=None, err_msg=""):
    tolerances = {}
    if atol:
        tolerances["atol"] = atol
    if rtol:
        tolerances["rtol"] = rtol
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(_compared(a), _compared(b), **tolerances, err_msg=err_msg)


def check_close(xs, ys, atol=None, rtol=None, err_msg=""):
    """Both trees are close; tolerances grow with the size of a leaf."""

    def check(x, y):
        x, y = np.asarray(x), np.asarray(y)
        if x.shape != y.shape:
            raise AssertionError(f"{x.shape} is not {y.shape}")
        absolute = max(tolerance(x.dtype, atol), tolerance(y.dtype, atol))
        relative = max(tolerance(x.dtype, rtol), tolerance(y.dtype, rtol))
        _assert_numpy_allclose(x, y, atol=absolute * x.size, rtol=relative * y.size, err_msg=err_msg)

    jax.tree.map(check, xs, ys)


def _check_dtypes_match(xs, ys):
    def check(x, y):
        if _canonical(_dtype(x)) != _canonical(_dtype(y)):
            raise AssertionError(f"{_dtype(x)} is not {_dtype(y)}")

    jax.tree.map(check, xs, ys)


def _is_python_scalar(x):
    return not isinstance(x, np.generic) and isinstance(x, (bool, int, float, complex))


def _leafwise(function):
    """A function of trees from one of leaves, which keeps the dtype of the first leaf."""

    def on_leaves(*leaves):
        result = np.array(function(*leaves), dtype=_dtype(leaves[0]))
        return result.item() if all(map(_is_python_scalar, leaves)) else result

    return functools.partial(jax.tree.map, on_leaves)


_add = _leafwise(operator.add)
_subtract = _leafwise(operator.sub)
_conjugate = _leafwise(np.conj)


def _difference(xs, ys):
    """`inf - inf` is 0 here."""

    def subtract(x, y):
        with np.errstate(invalid="ignore"):
            difference = np.subtract(x, y, dtype=_dtype(x))
        return np.where(np.equal(x, y), np.array(0, _dtype(x)), difference)

    return jax.tree.map(subtract, xs, ys)


def _scaled(xs, factor):
    def scale(x):
        result = np.multiply(x, np.array(factor, dtype=_dtype(x)), dtype=_dtype(x))
        return result.item() if _is_python_scalar(x) else result

    return jax.tree.map(scale, xs)


def rand_like(rng, x):
    """Normal numbers in the shape and dtype of a value."""
    result = np.asarray(rng.randn(*np.shape(x)), dtype=_dtype(x))
    return result.item() if _is_python_scalar(x) else result


def inner_prod(xs, ys):
    def contract(x, y):
        return np.real(np.dot(np.conj(np.asarray(x)).reshape(-1), np.asarray(y).reshape(-1)))

    return jax.tree.reduce(np.add, jax.tree.map(contract, xs, ys))


def numerical_jvp(f, primals, tangents, eps=EPS):
    """The derivative along a direction, from two values around the point."""
    delta = _scaled(tangents, eps)
    above, below = f(*_add(primals, delta)), f(*_subtract(primals, delta))
    return _scaled(_difference(above, below), 0.5 / eps)


def _merged(tol, default):
    if tol is None:
        return default
    if not isinstance(tol, dict):
        return tol
    return default | {np.dtype(dtype): value for dtype, value in tol.items()}


def check_jvp(f, f_jvp, args, atol=None, rtol=None, eps=EPS, err_msg=""):
    """Forward-mode derivatives along a random direction against finite differences."""
    tolerances = {
        "atol": _merged(atol, default_gradient_tolerance),
        "rtol": _merged(rtol, default_gradient_tolerance),
    }
    rng = np.random.RandomState(0)
    tangent = jax.tree.map(functools.partial(rand_like, rng), args)
    value, derivative = f_jvp(args, tangent)
    _check_dtypes_match(value, derivative)
    expected = f(*args)
    _check_dtypes_match(value, expected)
    check_close(value, expected, **tolerances, err_msg=f"{err_msg} primal" if err_msg else "primal")
    numerical = numerical_jvp(f, args, tangent, eps=eps)
    check_close(derivative, numerical, **tolerances, err_msg=f"{err_msg} tangent" if err_msg else "tangent")


def check_vjp(f, f_vjp, args, atol=None, rtol=None, eps=EPS, err_msg=""):
    """Reverse-mode derivatives, projected on random directions, against finite differences."""
    tolerances = {
        "atol": _merged(atol, default_gradient_tolerance),
        "rtol": _merged(rtol, default_gradient_tolerance),
    }
    random_like = functools.partial(rand_like, np.random.RandomState(0))
    value, pull_back = f_vjp(*args)
    check_close(value, f(*args), **tolerances, err_msg=f"{err_msg} primal" if err_msg else "primal")
    tangent = jax.tree.map(random_like, args)
    tangent_out = numerical_jvp(f, args, tangent, eps=eps)
    cotangent = jax.tree.map(random_like, value)
    cotangent_out = _conjugate(pull_back(_conjugate(cotangent)))
    message = f"{err_msg} cotangent projection" if err_msg else "cotangent projection"
    check_close(
        inner_prod(tangent, cotangent_out), inner_prod(tangent_out, cotangent), **tolerances, err_msg=message
    )


def check_grads(f, args, order, modes=("fwd", "rev"), atol=None, rtol=None, eps=None):
    """Derivatives up to an order against finite differences."""
    eps = eps or EPS
    tolerances = {"atol": atol, "rtol": rtol, "eps": eps}

    def check(f, args, order, message):
        if "fwd" in modes:
            words = f"JVP of {message}" if message else "JVP"
            check_jvp(f, functools.partial(jax.jvp, f), args, err_msg=words, **tolerances)
            if order > 1:
                check(functools.partial(jax.jvp, f), (args, args), order - 1, words)
        if "rev" in modes:
            words = f"VJP of {message}" if message else "VJP"
            check_vjp(f, functools.partial(jax.vjp, f), args, err_msg=words, **tolerances)
            if order > 1:

                def both(*args):
                    value, pull_back = jax.vjp(f, *args)
                    return pull_back(value)

                check(both, args, order - 1, words)

    check(f, tuple(args), order, "")

"""Functions of `jax.scipy.special` that are compositions."""
import functools
import math

import jax
import jax.numpy as jnp
from jax import lax


def _floats(*arrays):
    dtype = jnp.result_type(*arrays)
    if not jnp.issubdtype(dtype, jnp.inexact):
        dtype = jnp.result_type(float)
    return [jnp.asarray(array).astype(dtype) for array in arrays]


def xlogy(x, y):
    x, y = _floats(x, y)
    zero = x == 0
    return jnp.where(zero, jnp.zeros_like(x), x * jnp.log(jnp.where(zero, 1.0, y)))


def xlog1py(x, y):
    x, y = _floats(x, y)
    zero = x == 0
    return jnp.where(zero, jnp.zeros_like(x), x * jnp.log1p(jnp.where(zero, 1.0, y)))


def entr(x):
    (x,) = _floats(x)
    return jnp.where(x < 0, -jnp.inf, -xlogy(x, x))


def rel_entr(p, q):
    p, q = _floats(p, q)
    both = (p > 0) & (q > 0)
    nothing = (p == 0) & (q >= 0)
    safe_p, safe_q = jnp.where(both, p, 1.0), jnp.where(both, q, 1.0)
    value = xlogy(safe_p, safe_p) - xlogy(safe_p, safe_q)
    return jnp.where(both, value, jnp.where(nothing, 0.0, jnp.inf))


def kl_div(p, q):
    p, q = _floats(p, q)
    return rel_entr(p, q) - p + q


def ndtr(x):
    (x,) = _floats(x)
    half_root = jnp.asarray(0.5 ** 0.5, x.dtype)
    scaled = x * half_root
    distance = jnp.abs(scaled)
    return 0.5 * jnp.where(
        distance < half_root,
        1.0 + lax.erf(scaled),
        jnp.where(scaled > 0, 2.0 - lax.erfc(distance), lax.erfc(distance)),
    )


def ndtri(p):
    (p,) = _floats(p)
    return jnp.asarray(2.0 ** 0.5, p.dtype) * lax.erf_inv(2.0 * p - 1.0)


def gammasgn(x):
    (x,) = _floats(x)
    floor = jnp.floor(x)
    odd = floor % 2 != 0
    sign = jnp.where((x < 0) & odd, -1.0, 1.0)
    sign = jnp.where((x < 0) & (x == floor), jnp.nan, sign)
    return jnp.where((x == 0) & jnp.signbit(x), -1.0, sign).astype(x.dtype)


def gamma(x):
    (x,) = _floats(x)
    return gammasgn(x) * jnp.exp(lax.lgamma(x))


def loggamma(x):
    (x,) = _floats(x)
    return lax.lgamma(x)


def betaln(a, b):
    a, b = _floats(a, b)
    a, b = jnp.minimum(a, b), jnp.maximum(a, b)
    return lax.lgamma(a) + (lax.lgamma(b) - lax.lgamma(a + b))


def beta(a, b):
    a, b = _floats(a, b)
    sign = gammasgn(a) * gammasgn(b) * gammasgn(a + b)
    return sign * jnp.exp(betaln(a, b))


def factorial(n, exact=False):
    if exact:
        raise NotImplementedError("factorial with exact=True")
    (n,) = _floats(n)
    return jnp.where(n < 0, 0, jnp.exp(lax.lgamma(n + 1)))


def comb(N, k, exact=False, repetition=False):
    if exact:
        raise NotImplementedError("comb with exact=True")
    n, k = _floats(N, k)
    if repetition:
        n = n + k - 1
    value = jnp.exp(lax.lgamma(n + 1) - lax.lgamma(k + 1) - lax.lgamma(n - k + 1))
    return jnp.where((k >= 0) & (k <= n) & (n >= 0), value, 0.0)


def multigammaln(a, d):
    (a,) = _floats(a)
    constant = 0.25 * d * (d - 1) * jnp.log(jnp.asarray(jnp.pi, a.dtype))
    steps = 0.5 * jnp.arange(d, dtype=a.dtype)
    return jnp.sum(lax.lgamma(jnp.expand_dims(a, -1) - steps), axis=-1) + constant


def poch(z, m):
    z, m = _floats(z, m)
    return jnp.where(m == 0.0, jnp.array(1.0, z.dtype), gamma(z + m) / gamma(z))


def boxcox(x, lmbda):
    x, lmbda = _floats(x, lmbda)
    small = lmbda == 0
    return jnp.where(small, jnp.log(x), jnp.expm1(lmbda * jnp.log(x)) / jnp.where(small, 1.0, lmbda))


def boxcox1p(x, lmbda):
    x, lmbda = _floats(x, lmbda)
    small = lmbda == 0
    return jnp.where(small, jnp.log1p(x), jnp.expm1(lmbda * jnp.log1p(x)) / jnp.where(small, 1.0, lmbda))


def softmax(x, /, *, axis=None):
    return jax.nn.softmax(x, axis=axis)


def log_softmax(x, /, *, axis=None):
    return jax.nn.log_softmax(x, axis=axis)


def i0e(x):
    return lax.bessel_i0e(*_floats(x))


def i1e(x):
    return lax.bessel_i1e(*_floats(x))


def i0(x):
    (x,) = _floats(x)
    return jnp.exp(jnp.abs(x)) * lax.bessel_i0e(x)


def i1(x):
    (x,) = _floats(x)
    return jnp.exp(jnp.abs(x)) * lax.bessel_i1e(x)


def gammainc(a, x):
    return lax.igamma(*_floats(a, x))


def gammaincc(a, x):
    return lax.igammac(*_floats(a, x))


def zeta(x, q=None):
    if q is None:
        raise NotImplementedError(
            "Riemann zeta function not implemented; pass q != None to compute the Hurwitz Zeta function.")
    return lax.zeta(*_floats(x, q))


def polygamma(n, x):
    dtype = jnp.asarray(n).dtype
    if not jnp.issubdtype(dtype, jnp.integer):
        raise ValueError(f"Argument `n` to polygamma must be of integer type. Got dtype {dtype}.")
    return lax.polygamma(*_floats(n, x))


def _double_factorial(n):
    return math.prod(range(n, 1, -2))


def _log_ndtr_below(x, terms):
    square = lax.square(x)
    scale = -0.5 * square - jnp.log(-x) - 0.5 * math.log(2.0 * math.pi)
    odd, even, power = jnp.zeros_like(x), jnp.zeros_like(x), square
    for n in range(1, terms + 1):
        term = _double_factorial(2 * n - 1) / power
        if n % 2:
            odd += term
        else:
            even += term
        power *= square
    return scale + jnp.log(1.0 + even - odd)


def log_ndtr(x, series_order=3):
    if not isinstance(series_order, int):
        raise TypeError("series_order must be a Python integer.")
    if series_order < 0:
        raise ValueError("series_order must be non-negative.")
    if series_order > 30:
        raise ValueError("series_order must be <= 30.")
    x = jnp.asarray(x)
    if x.dtype not in (jnp.float32, jnp.float64):
        raise TypeError(f"x.dtype={x.dtype} is not supported.")
    return _log_ndtr(x, series_order)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _log_ndtr(x, terms):
    below, above = (-10, 5) if x.dtype == jnp.float32 else (-20, 8)
    between = ndtr(jnp.where(x > above, -x, jnp.maximum(x, below)))
    return jnp.where(x > above, -between,
                     jnp.where(x > below, jnp.log(between), _log_ndtr_below(jnp.minimum(x, below), terms)))


@_log_ndtr.defjvp
def _log_ndtr_tangent(terms, primals, tangents):
    (x,), (dx,) = primals, tangents
    value = _log_ndtr(x, terms)
    density = -(math.log(2 * math.pi) + lax.square(x)) / 2.0
    return value, dx * jnp.exp(density - value)

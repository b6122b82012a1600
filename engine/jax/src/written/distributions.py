"""Distributions of `jax.random` that draw until a sample is accepted, and those made of them. The draws come in JAX's
order, so that samples have its digits.
"""
import functools

import jax
import jax.numpy as jnp
from jax import lax, random
from jax._src.random.more import _dtype, _shape

MOST = 2**31 - 1


def _float(name, dtype):
    dtype = _dtype(dtype)
    if not jnp.issubdtype(dtype, jnp.floating):
        raise ValueError(f"dtype argument to `{name}` must be a float dtype, got {dtype}")
    return dtype


def _parameter(x, dtype, shape):
    return jnp.broadcast_to(jnp.asarray(x, dtype), shape)


# Gamma: Marsaglia and Tsang, "A simple method for generating gamma variables".


def _one_gamma(key, alpha, log_space):
    dtype = alpha.dtype
    # Below 1 a sample for alpha + 1 is made smaller by a power of a uniform one.
    is_large = alpha >= 1
    d = lax.select(is_large, alpha, alpha + 1) - jnp.asarray(1.0 / 3.0, dtype)
    c = jnp.asarray(1.0 / 3.0, dtype) / lax.sqrt(d)

    def is_refused(state):
        _, x_squared, v, u = state
        squeezed = u >= 1 - 0.0331 * (x_squared * x_squared)
        return squeezed & (lax.log(u) >= x_squared * 0.5 + d * ((1 - v) + lax.log(v)))

    def draw_normal(state):
        key, subkey = random.split(state[0])
        x = random.normal(subkey, (), dtype)
        return key, x, 1 + x * c

    def draw(state):
        key, normal_key, uniform_key = random.split(state[0], 3)
        first = (normal_key, jnp.zeros((), dtype), -jnp.ones((), dtype))
        _, x, v = lax.while_loop(lambda state: state[2] <= 0, draw_normal, first)
        return key, x * x, (v * v) * v, random.uniform(uniform_key, (), dtype)

    key, boost_key = random.split(key)
    refused = (key, jnp.zeros((), dtype), jnp.ones((), dtype), jnp.full((), 2, dtype))
    v = lax.while_loop(is_refused, draw, refused)[2]
    if log_space:
        boost = -random.exponential(boost_key, (), dtype)
        boost = lax.select(is_large | (boost == 0), jnp.zeros((), dtype), boost * (1 / alpha))
        return (lax.log(d) + lax.log(v)) + boost
    boost = lax.pow(1 - random.uniform(boost_key, (), dtype), 1 / alpha)
    return (d * v) * lax.select(is_large, jnp.ones((), dtype), boost)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 2))
def _gammas(key, alphas, log_space):
    keys = random.split(key, max(alphas.size, 1))[: alphas.size]
    samples = jax.vmap(lambda key, alpha: _one_gamma(key, alpha, log_space))(keys, alphas.reshape(-1))
    return samples.reshape(alphas.shape)


@_gammas.defjvp
def _gammas_jvp(key, log_space, primals, tangents):
    raise NotImplementedError(
        "the derivative of samples of the gamma distribution is not provided by the workbench yet:"
        " use jax.lax.stop_gradient on its parameters"
    )


def _gamma(name, key, a, shape, dtype, log_space):
    dtype = _float(name, dtype)
    return _gammas(key, _parameter(a, dtype, _shape(shape, a)), log_space)


def gamma(key, a, shape=None, dtype=None):
    return _gamma("gamma", key, a, shape, dtype, False)


def loggamma(key, a, shape=None, dtype=None):
    return _gamma("loggamma", key, a, shape, dtype, True)


def beta(key, a, b, shape=None, dtype=None):
    dtype = _float("beta", dtype)
    shape = _shape(shape, a, b)
    key_a, key_b = random.split(key)
    log_a = loggamma(key_a, _parameter(a, dtype, shape), shape, dtype)
    log_b = loggamma(key_b, _parameter(b, dtype, shape), shape, dtype)
    most = lax.max(log_a, log_b)
    scaled_a, scaled_b = jnp.exp(log_a - most), jnp.exp(log_b - most)
    return scaled_a / (scaled_a + scaled_b)


def dirichlet(key, alpha, shape=None, dtype=None):
    dtype = _float("dirichlet", dtype)
    alpha = jnp.asarray(alpha, dtype)
    if alpha.ndim < 1:
        raise ValueError(f"dirichlet requires alpha.ndim >= 1, got alpha.ndim == {alpha.ndim}")
    shape = alpha.shape[:-1] if shape is None else tuple(shape)
    return jax.nn.softmax(loggamma(key, alpha, shape + alpha.shape[-1:], dtype), -1)


def t(key, df, shape=None, dtype=None):
    dtype = _float("t", dtype)
    shape = _shape(shape, df)
    normal_key, gamma_key = random.split(key)
    half = jnp.asarray(df, dtype) / 2
    return random.normal(normal_key, shape, dtype) * jnp.sqrt(half / gamma(gamma_key, half, shape, dtype))


def chisquare(key, df, shape=None, dtype=None):
    dtype = _float("chisquare", dtype)
    return jnp.exp(loggamma(key, jnp.asarray(df, dtype) / 2, _shape(shape, df), dtype)) * 2


def f(key, dfnum, dfden, shape=None, dtype=None):
    dtype = _float("f", dtype)
    shape = _shape(shape, dfnum, dfden)
    dfnum, dfden = jnp.asarray(dfnum, dtype), jnp.asarray(dfden, dtype)
    key_below, key_above = random.split(key)
    above = chisquare(key_above, dfnum, shape, dtype) / dfnum
    return above / (chisquare(key_below, dfden, shape, dtype) / dfden)


def generalized_normal(key, p, shape=(), dtype=None):
    dtype = _float("generalized_normal", dtype)
    gamma_key, sign_key = random.split(key)
    size = gamma(gamma_key, 1 / p, shape, dtype)
    return random.rademacher(sign_key, shape, dtype) * size ** (1 / p)


def ball(key, d, p=2, shape=(), dtype=None):
    dtype = _float("ball", dtype)
    key, other = random.split(key)
    points = generalized_normal(key, p, (*shape, d), dtype)
    rest = random.exponential(other, shape, dtype)
    return points / (((jnp.abs(points) ** p).sum(-1) + rest) ** (1 / p))[..., None]


# Poisson: Knuth's products of uniform samples, and above 10 Hoermann's transformed rejection.


def _poisson_by_products(key, lam, shape, dtype):
    def draw(state):
        i, k, key, log_product = state
        key, subkey = random.split(key)
        k = lax.select(log_product > -lam, k + 1, k)
        return i + 1, k, key, log_product + jnp.log(random.uniform(subkey, shape, jnp.float32))

    def goes_on(state):
        return (state[3] > -lam).any() & (state[0] < MOST)

    first = (0, jnp.zeros(shape, dtype), key, jnp.zeros(shape, jnp.float32))
    return lax.while_loop(goes_on, draw, first)[1] - 1


def _poisson_by_rejection(key, lam, shape, dtype):
    log_lam = lax.log(lam)
    b = 0.931 + 2.53 * lax.sqrt(lam)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)

    def draw(state):
        i, found, accepted, key = state
        key, key_u, key_v = random.split(key, 3)
        u = random.uniform(key_u, shape, lam.dtype) - 0.5
        v = random.uniform(key_v, shape, lam.dtype)
        shifted = 0.5 - abs(u)
        k = lax.floor((2 * a / shifted + b) * u + lam + 0.43)
        s = lax.log(v * inverse_alpha / (a / (shifted * shifted) + b))
        bound = -lam + k * log_lam - lax.lgamma(k + 1)
        at_once = (shifted >= 0.07) & (v <= v_r)
        never = (k < 0) | ((shifted < 0.013) & (v > shifted))
        accept = at_once | (~never & (s <= bound))
        return i + 1, lax.select(accept, k, found), accepted | accept, key

    def goes_on(state):
        return (~state[2]).any() & (state[0] < MOST)

    first = (0, jnp.full(shape, -1, lam.dtype), jnp.zeros(shape, bool), key)
    return lax.while_loop(goes_on, draw, first)[1].astype(dtype)


def poisson(key, lam, shape=None, dtype=None):
    dtype = jnp.result_type(int) if dtype in (None, int) else jnp.dtype(dtype)
    shape = _shape(shape, lam)
    lam = _parameter(lam, jnp.float32, shape)
    is_small = jnp.isnan(lam) | (lam < 10)
    small = _poisson_by_products(key, jnp.where(is_small, lam, 0.0), shape, dtype)
    large = _poisson_by_rejection(key, jnp.where(is_small, 1e5, lam), shape, dtype)
    found = lax.select(is_small, small, large)
    return lax.select(lam == 0, jnp.zeros_like(found), found)


# Binomial: sums of geometric samples, and where many are expected Hoermann's BTRS.

_TAILS = [
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
]


def _stirling_tail(k):
    """What Stirling's formula leaves out of the logarithm of a factorial."""
    is_small = k <= 9
    k = jnp.clip(k, 0.0, 9.0)
    square = (k + 1) * (k + 1)
    far = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    return lax.select(is_small, jnp.array(_TAILS, k.dtype)[jnp.floor(k).astype("int32")], far)


def _binomial_by_sums(key, count, prob, shape, dtype):
    log_rest = jnp.log1p(-prob)

    def draw(state):
        i, number, total, key = state
        subkey, key = random.split(key)
        number = lax.select(total <= count, number + 1, number)
        steps = jnp.ceil(jnp.log(random.uniform(subkey, shape, prob.dtype)) / log_rest)
        return i + 1, number, total + steps, key

    def goes_on(state):
        return (state[2] <= count).any() & (state[0] < MOST)

    zeros = jnp.zeros(shape, prob.dtype)
    return (lax.while_loop(goes_on, draw, (0, zeros, zeros, key))[1] - 1).astype(dtype)


def _binomial_by_rejection(key, count, prob, shape, dtype):
    deviation = jnp.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = count * prob + 0.5
    v_r = 0.92 - 4.2 / b
    r = prob / (1 - prob)
    alpha = (2.83 + 5.1 / b) * deviation
    m = jnp.floor((count + 1) * prob)

    def draw(state):
        i, found, accepted, key = state
        key, key_u, key_v = random.split(key, 3)
        u = random.uniform(key_u, shape, prob.dtype)
        v = random.uniform(key_v, shape, prob.dtype)
        u = u - 0.5
        shifted = 0.5 - jnp.abs(u)
        at_once = (shifted >= 0.07) & (v <= v_r)
        k = jnp.floor((2 * a / shifted + b) * u + c)
        never = (k < 0) | (k > count)
        v = jnp.log(v * alpha / (a / (shifted * shifted) + b))
        bound = (
            (m + 0.5) * jnp.log((m + 1) / (r * (count - m + 1)))
            + (count + 1) * jnp.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * jnp.log(r * (count - k + 1) / (k + 1))
            + _stirling_tail(m)
            + _stirling_tail(count - m)
            - _stirling_tail(k)
            - _stirling_tail(count - k)
        )
        accept = at_once | (~never & (v <= bound))
        return i + 1, lax.select(accept, k, found), accepted | accept, key

    def goes_on(state):
        return (~state[2]).any() & (state[0] < MOST)

    first = (0, jnp.full(shape, -1, prob.dtype), jnp.zeros(shape, bool), key)
    return lax.while_loop(goes_on, draw, first)[1].astype(dtype)


def binomial(key, n, p, shape=None, dtype=None):
    dtype = _float("binomial", dtype)
    shape = _shape(shape, n, p)
    p = _parameter(p, jnp.promote_types(jnp.result_type(p), jnp.float32), shape)
    n = _parameter(n, p.dtype, shape)
    is_rare = p < 0.5
    q = lax.select(is_rare, p, 1.0 - p)
    no_count = jnp.isnan(n) | (n < 0.0)
    is_infinite = jnp.isinf(n)
    is_nan, is_negative = jnp.isnan(q), q < 0.0
    q = jnp.where(is_nan | is_negative, 0.01, q)
    is_small = no_count | (n * q <= 10.0)
    n = jnp.floor(n)
    small = _binomial_by_sums(key, jnp.where(is_small, n, 0.0), q, shape, dtype)
    large = _binomial_by_rejection(key, jnp.where(is_small, 1e4, n), jnp.where(is_small, 0.5, q), shape, dtype)
    found = lax.select(is_small, small, large)
    is_invalid = is_negative | is_nan | no_count
    found = jnp.where(is_invalid, jnp.asarray(jnp.nan, dtype), found)
    found = jnp.where(is_infinite & ~is_invalid, jnp.asarray(jnp.inf, dtype), found)
    return lax.select(is_rare | no_count | is_nan | is_infinite, found, n.astype(dtype) - found)


def multinomial(key, n, p, *, shape=None, dtype=None, unroll=1):
    p = jnp.asarray(p) * 1.0
    shape = p.shape if shape is None else tuple(shape)
    n = jnp.broadcast_to(jnp.asarray(n, p.dtype), shape[:-1])
    p = jnp.moveaxis(jnp.broadcast_to(p, shape), -1, 0)
    left = lax.cumsum(p, 0, reverse=True)
    ratios = p / jnp.where(left == 0, 1, left)

    def step(remainder, ratio_and_key):
        ratio, key = ratio_and_key
        count = binomial(key, remainder, ratio.clip(0, 1), dtype=remainder.dtype)
        return remainder - count, count

    _, counts = lax.scan(step, n, (ratios, random.split(key, ratios.shape[0])))
    counts = jnp.moveaxis(counts, 0, -1)
    return counts if dtype is None else counts.astype(dtype)


# What needs no loop.


def geometric(key, p, shape=None, dtype=None):
    dtype = jnp.result_type(int) if dtype in (None, int) else jnp.dtype(dtype)
    shape = _shape(shape, p)
    p = jnp.asarray(p) * 1.0
    u = random.uniform(key, shape, p.dtype)
    log_u = lax.log(jnp.where(u == 0, 1, u))
    return (lax.floor(log_u / jnp.broadcast_to(lax.log1p(-p), shape)) + 1).astype(dtype)


def wald(key, mean, shape=None, dtype=None):
    dtype = _float("wald", dtype)
    shape = _shape(shape, mean)
    normal_key, uniform_key = random.split(key)
    mean = _parameter(mean, dtype, shape)
    y = lax.integer_pow(random.normal(normal_key, shape, dtype), 2)
    z = random.uniform(uniform_key, shape, dtype)
    square = lax.integer_pow(mean, 2)
    root = lax.sqrt(4 * mean * y + square * lax.integer_pow(y, 2))
    x = mean + square * y / 2 - mean / 2 * root
    return lax.select(z <= mean / (mean + x), x, square / x)


def triangular(key, left, mode, right, shape=None, dtype=None):
    dtype = _float("triangular", dtype)
    shape = _shape(shape, left, mode, right)
    left, mode, right = (_parameter(x, dtype, shape) for x in (left, mode, right))
    u = random.uniform(key, shape, dtype)
    rising = left + lax.sqrt(u * (right - left) * (mode - left))
    falling = right - lax.sqrt((1 - u) * (right - left) * (right - mode))
    return lax.select(u < (mode - left) / (right - left), rising, falling)


def orthogonal(key, n, shape=(), dtype=None, m=None):
    dtype = _float("orthogonal", dtype)
    m = n if m is None else m
    q, r = jnp.linalg.qr(random.normal(key, (*shape, max(n, m), min(n, m)), dtype))
    x = q * jnp.expand_dims(jnp.sign(jnp.linalg.diagonal(r)), -2)
    return x.mT if n < m else x

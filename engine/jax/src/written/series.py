"""Special functions that are sums of series: Bessel functions, zeta, polygamma, the incomplete gamma functions. `jax.lax` has
them under these names. Half precision is computed in float32."""
import functools
import math

import jax
import jax.numpy as jnp
from jax import lax

# Chebyshev coefficients (Cephes), for |x| <= 8 and beyond.
_I0E = [-4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16,
        1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14,
        -4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11,
        9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
        -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7,
        1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5,
        -5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4,
        1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
        -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2,
        1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1]
_I0E_FAR = [-7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
            3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16,
            1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15,
            -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
            7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
            -3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10,
            3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7,
            2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
            8.04490411014108831608e-1]
_I1E = [2.77791411276104639959e-18, -2.11142121435816608115e-17, 1.55363195773620046921e-16,
        -1.10559694773538630805e-15, 7.60068429473540693410e-15, -5.04218550472791168711e-14,
        3.22379336594557470981e-13, -1.98397439776494371520e-12, 1.17361862988909016308e-11,
        -6.66348972350202774223e-11, 3.62559028155211703701e-10, -1.88724975172282928790e-9,
        9.38153738649577178388e-9, -4.44505912879632808065e-8, 2.00329475355213526229e-7,
        -8.56872026469545474066e-7, 3.47025130813767847674e-6, -1.32731636560394358279e-5,
        4.78156510755005422638e-5, -1.61760815825896745588e-4, 5.12285956168575772895e-4,
        -1.51357245063125314899e-3, 4.15642294431288815669e-3, -1.05640848946261981558e-2,
        2.47264490306265168283e-2, -5.29459812080949914269e-2, 1.02643658689847095384e-1,
        -1.76416518357834055153e-1, 2.52587186443633654823e-1]
_I1E_FAR = [7.51729631084210481353e-18, 4.41434832307170791151e-18, -4.65030536848935832153e-17,
            -3.20952592199342395980e-17, 2.96262899764595013876e-16, 3.30820231092092828324e-16,
            -1.88035477551078244854e-15, -3.81440307243700780478e-15, 1.04202769841288027642e-14,
            4.27244001671195135429e-14, -2.10154184277266431302e-14, -4.08355111109219731823e-13,
            -7.19855177624590851209e-13, 2.03562854414708950722e-12, 1.41258074366137813316e-11,
            3.25260358301548823856e-11, -1.89749581235054123450e-11, -5.58974346219658380687e-10,
            -3.83538038596423702205e-9, -2.63146884688951950684e-8, -2.51223623787020892529e-7,
            -3.88256480887769039346e-6, -1.10588938762623716291e-4, -9.76109749136146840777e-3,
            7.78576235018280120474e-1]
# In float32 the first coefficients are below the last digit.
_SHORT = {"i0e": (18, 7), "i1e": (17, 7)}


def _in_floats(function):
    """Broadcasts, and computes half precision in float32."""

    @functools.wraps(function)
    def wrapped(*args):
        args = jnp.broadcast_arrays(*(jnp.asarray(arg) for arg in args))
        dtype = jnp.result_type(*args)
        if not jnp.issubdtype(dtype, jnp.floating):
            name = {"i0e": "bessel_i0e", "i1e": "bessel_i1e"}.get(function.__name__, function.__name__)
            raise TypeError(f"{name} does not accept dtype {dtype}. Accepted dtypes are subtypes of floating.")
        wide = jnp.float32 if dtype.itemsize < 4 else dtype
        return function(*(arg.astype(wide) for arg in args)).astype(dtype)

    return wrapped


def _chebyshev(x, coefficients):
    b0 = b1 = b2 = jnp.zeros_like(x)
    for coefficient in coefficients:
        b2, b1 = b1, b0
        b0 = x * b1 - b2 + jnp.full_like(x, coefficient)
    return 0.5 * (b0 - b2)


def _bessel(x, name, near, far):
    if x.dtype == jnp.float32:
        near_count, far_count = _SHORT[name]
        near, far = near[-near_count:], far[-far_count:]
    x = jnp.abs(x)
    inside = _chebyshev(0.5 * x - 2.0, near)
    outside = _chebyshev(32.0 / x - 2.0, far) / jnp.sqrt(x)
    return x, inside, outside


@jax.custom_jvp
@_in_floats
def i0e(x):
    x, inside, outside = _bessel(x, "i0e", _I0E, _I0E_FAR)
    return jnp.where(x <= 8.0, inside, outside)


@jax.custom_jvp
@_in_floats
def i1e(x):
    signed = x
    x, inside, outside = _bessel(x, "i1e", _I1E, _I1E_FAR)
    return jnp.sign(signed) * jnp.where(x <= 8.0, inside * x, outside)


@i0e.defjvp
def _i0e_tangent(primals, tangents):
    (x,), (dx,) = primals, tangents
    y = i0e(x)
    return y, dx * (i1e(x) - jnp.sign(x) * y)


@i1e.defjvp
def _i1e_tangent(primals, tangents):
    (x,), (dx,) = primals, tangents
    y = i1e(x)
    least = jnp.finfo(x.dtype).eps
    large = jnp.abs(x) > least
    safe = jnp.where(large, x, least)
    slope = i0e(safe) - y * (jnp.sign(safe) + 1 / safe)
    return y, dx * jnp.where(large, slope, jnp.asarray(0.5, x.dtype))


# Denominators of the Euler-Maclaurin sum: (2k)! / B_2k.
_EULER_MACLAURIN = [12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1307674368000.0 / 691, 74724249600.0,
                    -10670622842880000.0 / 3617, 5109094217170944000.0 / 43867,
                    -802857662698291200000.0 / 174611, 14101100039391805440000.0 / 77683,
                    -1693824136731743669452800000.0 / 236364091]


@_in_floats
def zeta(x, q):
    """The Hurwitz zeta function: the sum of `(q + k)**-x`."""
    total = q ** -x
    a = q
    for _ in range(9):
        a = a + 1.0
        total = total + a ** -x
    a = a + 1.0
    term = a ** -x
    total = total + term * a / (x - 1.0) + 0.5 * term
    factor = x
    power = term / a
    for k, denominator in enumerate(_EULER_MACLAURIN):
        total = total + factor * power / denominator
        factor = factor * (x + (2 * k + 1)) * (x + (2 * k + 2))
        power = power / (a * a)
    whole = q == jnp.floor(q)
    pole = (q <= 0) & whole
    result = jnp.where(pole & (x == 2 * jnp.floor(x / 2)) & (x > 1), jnp.inf, total)
    result = jnp.where((pole & (x != 2 * jnp.floor(x / 2))) | (x < 1) | ((q <= 0) & (x != jnp.floor(x))), jnp.nan, result)
    return jnp.where(x == 1, jnp.inf, result)


@jax.custom_jvp
@_in_floats
def polygamma(m, x):
    """Derivatives of digamma."""
    sign = 1.0 - 2.0 * ((m + 1.0) % 2.0)
    value = sign * jnp.exp(lax.lgamma(m + 1.0)) * zeta(m + 1.0, x)
    value = jnp.where(m == 0, lax.digamma(x), value)
    return jnp.where((m != jnp.floor(m)) | (m < 0), jnp.nan, value)


@polygamma.defjvp
def _polygamma_tangent(primals, tangents):
    (m, x), (_, dx) = primals, tangents
    return polygamma(m, x), dx * polygamma(m + 1, x)


def _gamma_scale(a, x):
    """`x**a exp(-x) / gamma(a)`, and whether it is too small to count."""
    logarithm = a * jnp.log(x) - x - lax.lgamma(a)
    return jnp.exp(logarithm), logarithm < -math.log(float(jnp.finfo(x.dtype).max))


def _lower_series(scale, x, a, enabled):
    least = jnp.finfo(x.dtype).eps

    def more(state):
        return jnp.any(state[0])

    def round_(state):
        enabled, r, c, total = state
        next_r = r + 1.0
        next_c = c * (x / next_r)
        next_total = total + next_c
        goes_on = enabled & (next_c / next_total > least)
        return (goes_on, *(jnp.where(enabled, new, old) for new, old in
                           [(next_r, r), (next_c, c), (next_total, total)]))

    ones = jnp.ones_like(a)
    return lax.while_loop(more, round_, (enabled, a, ones, ones))[3] * scale / a


def _upper_fraction(scale, x, a, enabled):
    least = jnp.finfo(x.dtype).eps

    def more(state):
        return (state[1] < 2000) & jnp.any(state[0])

    def round_(state):
        enabled, count, total, y, z, p1, q1, p2, q2 = state
        count = count + 1
        new_y, new_z = y + 1.0, z + 2.0
        yc = new_y * count
        p, q = p1 * new_z - p2 * yc, q1 * new_z - q2 * yc
        ratio = p / q
        finite = q != 0
        change = jnp.where(finite, jnp.abs((total - ratio) / ratio), jnp.ones_like(ratio))
        new_total = jnp.where(finite, ratio, total)
        large = jnp.abs(p) > 1.0 / least
        new = [jnp.where(large, value * least, value) for value in (p, q, p1, q1)]
        kept = [jnp.where(enabled, now, before) for now, before in zip(
            [new_total, new_y, new_z, *new], [total, y, z, p1, q1, p2, q2])]
        return (enabled & (change > least), count, *kept)

    y = 1.0 - a
    z = x + y + 1.0
    p1, q1 = x + 1.0, z * x
    state = (enabled, jnp.zeros((), x.dtype), p1 / q1, y, z, p1, q1, jnp.ones_like(x), x)
    return lax.while_loop(more, round_, state)[2] * scale


def _gamma_domain(a, x):
    return (x < 0) | (a < 0) | ((a == 0) & (x == 0)) | jnp.isnan(a) | jnp.isnan(x)


@_in_floats
def _igamma(a, x):
    wrong = _gamma_domain(a, x)
    scale, tiny = _gamma_scale(a, x)
    beyond = (x >= 1) & (x > a)
    enabled = ~((x == 0) | wrong | tiny | (x == jnp.inf))
    result = jnp.where(beyond, 1.0 - _upper_fraction(scale, x, a, enabled & beyond),
                       _lower_series(scale, x, a, enabled & ~beyond))
    result = jnp.where(x == 0, 0.0, result)
    result = jnp.where(x == jnp.inf, 1.0, result)
    return jnp.where(wrong, jnp.nan, result)


@_in_floats
def _igammac(a, x):
    wrong = _gamma_domain(a, x)
    scale, tiny = _gamma_scale(a, x)
    near = (x < 1) | (x < a)
    enabled = ~(wrong | tiny | (x == jnp.inf) | (a == 0))
    result = jnp.where(near, 1.0 - _lower_series(scale, x, a, enabled & near),
                       _upper_fraction(scale, x, a, enabled & ~near))
    result = jnp.where((x == jnp.inf) | (a == 0), 0.0, result)
    return jnp.where(wrong, jnp.nan, result)


def _gamma_slope(a, x):
    return jnp.exp(-x + (a - 1.0) * jnp.log(x) - lax.lgamma(a))


def _with_slopes(function, sign):
    """The function with its derivatives; that by `a` goes through the loops forwards, which reverse modes cannot."""

    @jax.custom_jvp
    def wrapped(a, x):
        return function(a, x)

    @wrapped.defjvp
    def tangent(primals, tangents):
        (a, x), (da, dx) = primals, tangents
        value, by_a = jax.jvp(lambda a: function(a, x), (a,), (jnp.ones_like(a),))
        return value, da * by_a + dx * (sign * _gamma_slope(a, x))

    return wrapped


_lower, _upper = _with_slopes(_igamma, 1.0), _with_slopes(_igammac, -1.0)


def igamma(a, x):
    """The lower incomplete gamma function, divided by gamma."""
    return _lower(jnp.asarray(a), jnp.asarray(x))


def igammac(a, x):
    """The upper incomplete gamma function, divided by gamma."""
    return _upper(jnp.asarray(a), jnp.asarray(x))


def bessel_i0e(x):
    return i0e(x)


def bessel_i1e(x):
    return i1e(x)

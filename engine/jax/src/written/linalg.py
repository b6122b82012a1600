"""Factors of matrices in `jax.numpy.linalg`, over `jax.lax.linalg`."""
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.lax import linalg as factors


class EighResult(NamedTuple):
    eigenvalues: jax.Array
    eigenvectors: jax.Array


class QRResult(NamedTuple):
    Q: jax.Array
    R: jax.Array


class SVDResult(NamedTuple):
    U: jax.Array
    S: jax.Array
    Vh: jax.Array


def _inexact(*arrays):
    dtype = jnp.result_type(*arrays)
    if not jnp.issubdtype(dtype, jnp.inexact):
        dtype = jnp.result_type(dtype, float)
    arrays = [jnp.asarray(x, dtype) for x in arrays]
    return arrays if len(arrays) > 1 else arrays[0]


def _times(a, b):
    return jnp.matmul(a, b, precision=lax.Precision.HIGHEST)


def qr(a, mode="reduced"):
    if mode not in ("reduced", "r", "full", "complete"):
        if mode == "raw":
            raise NotImplementedError("jnp.linalg.qr(mode='raw') is not provided by the workbench yet")
        raise ValueError(f"Unsupported QR decomposition mode '{mode}'")
    q, r = factors.qr(_inexact(a), full_matrices=mode == "complete")
    return r if mode == "r" else QRResult(q, r)


def eigh(a, UPLO=None, symmetrize_input=True):
    if UPLO not in (None, "L", "U"):
        raise ValueError(f"UPLO must be one of None, 'L', or 'U', got {UPLO}")
    vectors, values = factors.eigh(_inexact(a), lower=UPLO != "U", symmetrize_input=symmetrize_input)
    return EighResult(values, vectors)


def eigvalsh(a, UPLO="L", *, symmetrize_input=True):
    return eigh(a, UPLO, symmetrize_input=symmetrize_input).eigenvalues


def _hermitian_svd(a):
    vectors, values = factors.eigh(a)
    order = jnp.flip(jnp.argsort(jnp.abs(values), axis=-1), -1)
    values = jnp.take_along_axis(values, order, axis=-1)
    vectors = jnp.take_along_axis(vectors, order[..., None, :], axis=-1)
    return vectors, jnp.abs(values), (vectors * jnp.sign(values)[..., None, :]).mT


def svd(a, full_matrices=True, compute_uv=True, hermitian=False, subset_by_index=None):
    if subset_by_index is not None:
        raise NotImplementedError("subset_by_index is not provided by the workbench yet")
    a = _inexact(a)
    if not compute_uv:
        return _hermitian_svd(a)[1] if hermitian else factors.svd(a, compute_uv=False)
    return SVDResult(*(_hermitian_svd(a) if hermitian else factors.svd(a, full_matrices=full_matrices)))


def svdvals(x, /):
    return svd(x, compute_uv=False)


def matrix_rank(M, rtol=None, *, hermitian=False, tol=None):
    if tol is not None:
        if rtol is not None:
            raise ValueError("matrix_rank: only one of tol or rtol may be specified.")
        rtol = tol
    M = _inexact(M)
    if M.ndim < 2:
        return (M != 0).any().astype("int32")
    s = svd(M, full_matrices=False, compute_uv=False, hermitian=hermitian)
    if rtol is None:
        rtol = s.max(-1) * max(M.shape[-2:]) * jnp.finfo(s.dtype).eps
    return jnp.sum(s > jnp.expand_dims(rtol, jnp.ndim(rtol)), axis=-1)


def pinv(a, rtol=None, hermitian=False, *, rcond=None):
    if rcond is not None:
        if rtol is not None:
            raise ValueError("pinv: only one of rtol and rcond may be specified.")
        rtol = rcond
    a = _inexact(a)
    m, n = a.shape[-2:]
    if m == 0 or n == 0:
        return jnp.empty(a.shape[:-2] + (n, m), a.dtype)
    if rtol is None:
        rtol = 10.0 * max(m, n) * jnp.finfo(a.dtype).eps
    return _pinv(a, jnp.asarray(rtol), hermitian)


def _inverted(a, rtol, hermitian):
    u, s, vh = svd(a, full_matrices=False, hermitian=hermitian)
    s = jnp.where(s > rtol[..., None] * s[..., :1], s, jnp.inf)
    return _times(vh.mT, u.mT / s[..., None])


def _pinv(a, rtol, hermitian):
    # Derivatives by the formula of the inverse: singular values may be equal.
    @jax.custom_jvp
    def inverse(a):
        return _inverted(a, rtol, hermitian)

    @inverse.defjvp
    def _(primals, tangents):
        (a,), (da,) = primals, tangents
        p = inverse(a)
        eye = lambda size: jnp.eye(size, dtype=a.dtype)
        change = -_times(_times(p, da), p)
        change += _times(_times(_times(p, p.mT), da.mT), eye(a.shape[-2]) - _times(a, p))
        change += _times(_times(_times(eye(a.shape[-1]) - _times(p, a), da.mT), p.mT), p)
        return p, change

    return inverse(a)


def lstsq(a, b, rcond=None, *, numpy_resid=False):
    a, b = _inexact(a, b)
    if a.shape[0] != b.shape[0]:
        raise ValueError("Leading dimensions of input arrays must match")
    if a.ndim != 2:
        raise TypeError(f"{a.ndim}-dimensional array given. Array must be two-dimensional")
    if b.ndim not in (1, 2):
        raise TypeError(f"{b.ndim}-dimensional array given. Array must be one or two-dimensional")
    is_vector = b.ndim == 1
    b = b[:, None] if is_vector else b
    (m, n), eps = a.shape, jnp.finfo(a.dtype).eps
    if a.size == 0:
        s, rank, x = jnp.empty(0, a.dtype), jnp.array(0, dtype=int), jnp.zeros((n, b.shape[1]), a.dtype)
    else:
        limit = float(eps) * max(n, m) if rcond is None else jnp.where(rcond < 0, eps, rcond)
        u, s, vt = svd(a, full_matrices=False)
        is_kept = (s > 0) & (s >= jnp.asarray(limit, s.dtype) * s[0])
        rank = is_kept.sum()
        inverse = jnp.where(is_kept, 1 / jnp.where(is_kept, s, 1), 0)[:, None]
        x = _times(vt.T, inverse * _times(u.T, b))
    if numpy_resid and (rank < n or m <= n):
        residuals = jnp.asarray([])
    else:
        residuals = jnp.linalg.norm(b - _times(a, x), axis=0) ** 2
    return (x.ravel() if is_vector else x), residuals, rank, s


def cond(x, p=None):
    x = jnp.asarray(x)
    if x.ndim < 2:
        raise ValueError(f"jnp.linalg.cond: input array must be at least 2D; got arr.shape={x.shape}")
    if 0 in x.shape[-2:]:
        raise ValueError(f"jnp.linalg.cond: input array must not be empty; got arr.shape={x.shape}")
    if p is None or p == 2:
        s = svdvals(x)
        return s[..., 0] / s[..., -1]
    if p == -2:
        s = svdvals(x)
        ratio = s[..., -1] / s[..., 0]
    else:
        if x.shape[-2] != x.shape[-1]:
            raise ValueError(f"jnp.linalg.cond: for p={p!r}, array must be square; got arr.shape={x.shape}")
        norm = lambda x: jnp.linalg.norm(x, ord=p, axis=(-2, -1))
        ratio = norm(x) * norm(jnp.linalg.inv(x))
    return jnp.where(jnp.isnan(ratio) & ~jnp.isnan(x).any(axis=(-2, -1)), jnp.inf, ratio)


def tensorinv(a, ind=2):
    a = jnp.asarray(a)
    if ind <= 0:
        raise ValueError(f"ind must be a positive integer; got ind={ind}")
    rows, columns = a.shape[:ind], a.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise ValueError("tensorinv is only possible when the product of the first `ind` dimensions equals that of the "
                         f"remaining dimensions. got arr.shape={a.shape} with ind={ind}.")
    return jnp.linalg.inv(a.reshape(math.prod(rows), math.prod(columns))).reshape(*columns, *rows)


def tensorsolve(a, b, axes=None):
    a, b = jnp.asarray(a), jnp.asarray(b)
    if axes is not None:
        a = jnp.moveaxis(a, axes, len(axes) * (a.ndim - 1,))
    shape = a.shape[b.ndim :]
    if a.shape[: b.ndim] != b.shape:
        raise ValueError("After moving axes to end, leading shape of a must match shape of b. "
                         f"got a.shape={a.shape}, b.shape={b.shape}")
    if b.size != math.prod(shape):
        raise ValueError("Input arrays must have prod(a.shape[:b.ndim]) == prod(a.shape[b.ndim:]); "
                         f"got a.shape={a.shape}, b.ndim={b.ndim}.")
    return jnp.linalg.solve(a.reshape(b.size, math.prod(shape)), b.ravel()).reshape(shape)

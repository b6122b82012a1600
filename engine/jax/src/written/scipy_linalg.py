"""`jax.scipy.linalg`"""
import jax.numpy as jnp
from jax._src.lax import linalg as _factors
from jax._src.numpy.linalg import _inexact


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    a = _inexact(a)
    factor = _factors.cholesky(a if lower else a.mT, symmetrize_input=False)
    return factor if lower else factor.mT


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    return cholesky(a, lower=lower), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    c, lower = c_and_lower
    c, b = _inexact(c, b)
    inner = _factors.triangular_solve(c, b, left_side=True, lower=lower, transpose_a=not lower)
    return _factors.triangular_solve(c, inner, left_side=True, lower=lower, transpose_a=lower)


def solve_triangular(
    a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, debug=None, check_finite=True
):
    if trans not in (0, "N", 1, "T", 2, "C"):
        raise ValueError(f"Invalid 'trans' value {trans}")
    a, b = _inexact(a, b)
    is_vector = b.ndim == 1 or (a.ndim == b.ndim + 1 and a.shape[-1] == b.shape[-1])
    x = _factors.triangular_solve(
        a,
        b[..., None] if is_vector else b,
        left_side=True,
        lower=lower,
        transpose_a=trans not in (0, "N"),
        unit_diagonal=unit_diagonal,
    )
    return x[..., 0] if is_vector else x


def lu_factor(a, overwrite_a=False, check_finite=True):
    lu, pivots, _ = _factors.lu(_inexact(a))
    return lu, pivots


def _unit_lower(lu, size):
    return jnp.tril(lu[..., :size], -1) + jnp.eye(lu.shape[-2], size, dtype=lu.dtype)


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    lu, pivots = lu_and_piv
    lu, b = _inexact(lu, b)
    if lu.ndim != 2:
        raise NotImplementedError("lu_solve of stacked matrices is not provided by the workbench yet")
    order = jnp.arange(lu.shape[0])
    for k in range(pivots.shape[0]):
        first, second = order[k], order[pivots[k]]
        order = order.at[k].set(second).at[pivots[k]].set(first)
    unit = {"lower": True, "unit_diagonal": True}
    if trans == 0:
        return solve_triangular(lu, solve_triangular(lu, b[order], **unit))
    x = solve_triangular(lu, solve_triangular(lu, b, trans=1), trans=1, **unit)
    return jnp.zeros_like(x).at[order].set(x)


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    lu, _, order = _factors.lu(_inexact(a))
    rows = lu.shape[-2]
    count = min(lu.shape[-2:])
    permutation = (jnp.arange(rows)[:, None] == order[..., None, :]).astype(lu.dtype)
    lower, upper = _unit_lower(lu, count), jnp.triu(lu)[..., :count, :]
    return (jnp.matmul(permutation, lower), upper) if permute_l else (permutation, lower, upper)


def solve(a, b, lower=False, overwrite_a=False, overwrite_b=False, debug=False, check_finite=True, assume_a="gen"):
    if assume_a not in ("gen", "sym", "her", "pos"):
        raise ValueError(f"Expected assume_a to be one of ['gen', 'sym', 'her', 'pos']; got {assume_a!r}")
    if assume_a == "pos":
        return cho_solve(cho_factor(a, lower=lower), b)
    return jnp.linalg.solve(a, b)


def inv(a, overwrite_a=False, check_finite=True):
    return jnp.linalg.inv(a)


def det(a, overwrite_a=False, check_finite=True):
    return jnp.linalg.det(a)


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    if mode not in ("full", "r", "economic"):
        raise ValueError(f"Unsupported QR decomposition mode '{mode}'")
    q, r = _factors.qr(_inexact(a), pivoting=pivoting, full_matrices=mode != "economic")
    return (r,) if mode == "r" else (q, r)


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    return _factors.svd(_inexact(a), full_matrices=full_matrices, compute_uv=compute_uv)


def eigh(
    a, b=None, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, turbo=True, eigvals=None,
    type=1, check_finite=True,
):
    if b is not None:
        raise NotImplementedError("Only the b=None case of eigh is implemented")
    if type != 1:
        raise NotImplementedError("Only the type=1 case of eigh is implemented.")
    if eigvals is not None:
        raise NotImplementedError("Only the eigvals=None case of eigh is implemented")
    vectors, values = _factors.eigh(_inexact(a), lower=lower)
    return values if eigvals_only else (values, vectors)


def block_diag(*arrs):
    if not arrs:
        arrs = [jnp.zeros((1, 0))]
    arrs = [jnp.atleast_2d(jnp.asarray(x)) for x in arrs]
    bad = [i for i, x in enumerate(arrs) if x.ndim > 2]
    if bad:
        raise ValueError("Arguments to jax.scipy.linalg.block_diag must have at most 2 dimensions, got "
                         f"{arrs[bad[0]]} at argument {bad[0]}.")
    dtype = jnp.result_type(*arrs)
    columns = sum(x.shape[1] for x in arrs)
    rows, start = [], 0
    for x in arrs:
        rows.append(jnp.pad(x.astype(dtype), ((0, 0), (start, columns - start - x.shape[1]))))
        start += x.shape[1]
    return jnp.concatenate(rows, axis=0)

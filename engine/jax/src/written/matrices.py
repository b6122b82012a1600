"""`jax.lax.linalg`: factors of matrices, for the last two dimensions of arrays.

Triangular systems are substituted, LU takes the largest pivot, QR reflects (so far the signs are LAPACK's); eigenvalues
and singular values come from Jacobi's rotations, which leave the signs of vectors open as LAPACK does.
"""
import jax
import jax.numpy as jnp
from jax import lax

_HIGHEST = lax.Precision.HIGHEST


def _stacked(function, *arrays, ranks=None):
    """A function of matrices over arrays of them."""
    ranks = ranks or (2,) * len(arrays)
    batch = jnp.broadcast_shapes(*(x.shape[: x.ndim - rank] for x, rank in zip(arrays, ranks)))
    arrays = [jnp.broadcast_to(x, batch + x.shape[x.ndim - rank :]) for x, rank in zip(arrays, ranks)]
    for _ in batch:
        function = jax.vmap(function)
    return function(*arrays)


def _dot(a, b):
    return jnp.matmul(a, b, precision=_HIGHEST)


def _substituted(a, b, lower, unit_diagonal):
    size = a.shape[0]
    others = jnp.tril(a, -1) if lower else jnp.triu(a, 1)
    pivots = jnp.diagonal(a)

    def step(i, x):
        row = i if lower else size - 1 - i
        value = b[row] - _dot(others[row], x)
        return x.at[row].set(value if unit_diagonal else value / pivots[row])

    return lax.fori_loop(0, size, step, jnp.zeros_like(b))


def triangular_solve(
    a, b, *, left_side=False, lower=False, transpose_a=False, conjugate_a=False, unit_diagonal=False
):
    a, b = jnp.asarray(a), jnp.asarray(b)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise TypeError(f"The first argument to triangular_solve must be a square matrix, got shape {a.shape}")
    is_vector = b.ndim == a.ndim - 1
    if is_vector:
        b = b[..., None] if left_side else b[..., None, :]
    if a.shape[-1] != b.shape[-2 if left_side else -1]:
        raise TypeError(f"Incompatible shapes for arguments to triangular_solve: {a.shape} and {b.shape}")
    # A system from the right is the transposed one from the left.
    if transpose_a == left_side:
        a, lower = a.mT, not lower
    b = b if left_side else b.mT
    x = _stacked(lambda a, b: _substituted(a, b, lower, unit_diagonal), a, b)
    x = x if left_side else x.mT
    if is_vector:
        return x[..., 0] if left_side else x[..., 0, :]
    return x


def _cholesky(a):
    size = a.shape[0]
    rows = jnp.arange(size)

    def step(column, factor):
        values = a[:, column] - _dot(factor, factor[column])
        values = values / jnp.sqrt(values[column])
        return factor.at[:, column].set(jnp.where(rows >= column, values, 0))

    factor = lax.fori_loop(0, size, step, jnp.zeros_like(a))
    return jnp.where(jnp.isfinite(jnp.diagonal(factor)).all(), factor, jnp.tril(jnp.full_like(a, jnp.nan)))


def cholesky(x, *, symmetrize_input=True):
    x = jnp.asarray(x)
    return _stacked(_cholesky, (x + x.mT) / 2 if symmetrize_input else x)


def _lu(a):
    rows_count, columns_count = a.shape
    rows, columns = jnp.arange(rows_count), jnp.arange(columns_count)

    def step(k, state):
        a, pivots, order = state
        pivot = jnp.argmax(jnp.where(rows >= k, jnp.abs(a[:, k]), -1.0)).astype(jnp.int32)
        swap = lambda x: x.at[pivot].set(x[k]).at[k].set(x[pivot])
        a, order = swap(a), swap(order)
        value = a[k, k]
        factors = jnp.where(rows > k, jnp.where(value == 0, a[:, k], a[:, k] / value), 0)
        a = a.at[:, k].set(jnp.where(rows > k, factors, a[:, k]))
        a = a - jnp.outer(factors, jnp.where(columns > k, a[k], 0))
        return a, pivots.at[k].set(pivot), order

    count = min(a.shape)
    start = (a, jnp.zeros(count, jnp.int32), jnp.arange(rows_count, dtype=jnp.int32))
    return lax.fori_loop(0, count, step, start)


def lu(x):
    return _stacked(_lu, jnp.asarray(x))


def _reflected(a):
    rows_count = a.shape[0]
    rows = jnp.arange(rows_count)

    def step(k, state):
        a, q = state
        head = a[k, k]
        tail = jnp.where(rows > k, a[:, k], 0)
        length = jnp.sqrt(jnp.sum(tail * tail))
        is_done = length == 0
        pivot = jnp.where(is_done, head, -jnp.where(head < 0, -1, 1) * jnp.hypot(head, length))
        weight = jnp.where(is_done, 0, (pivot - head) / jnp.where(is_done, 1, pivot))
        v = jnp.where(rows == k, 1, tail / jnp.where(is_done, 1, head - pivot))
        a = a - weight * jnp.outer(v, _dot(v, a))
        return a, q - weight * jnp.outer(_dot(q, v), v)

    a, q = lax.fori_loop(0, min(a.shape), step, (a, jnp.eye(rows_count, dtype=a.dtype)))
    return q, jnp.triu(a)


@jax.custom_jvp
def _qr(a):
    q, r = _reflected(a)
    count = min(a.shape)
    return q[:, :count], r[:count]


@_qr.defjvp
def _qr_jvp(primals, tangents):
    (a,), (da,) = primals, tangents
    if a.shape[0] < a.shape[1]:
        raise NotImplementedError("Unimplemented case of QR decomposition derivative")
    q, r = _qr(a)
    scaled = triangular_solve(r, da)
    inside = _dot(q.T, scaled)
    below = jnp.tril(inside, -1)
    turn = below - below.T
    return (q, r), (_dot(q, turn - inside) + scaled, _dot(inside - turn, r))


def qr(x, *, pivoting=False, full_matrices=True, use_magma=None):
    if pivoting:
        raise NotImplementedError("QR with pivoting is not provided by the workbench yet")
    x = jnp.asarray(x)
    complete = full_matrices and x.shape[-2] > x.shape[-1]
    return _stacked(_reflected if complete else _qr, x)


_SWEEPS = 30


def _pairs(size):
    first, second = zip(*((i, j) for i in range(size) for j in range(i + 1, size)))
    return jnp.array(first), jnp.array(second)


def _rotation(a, b, c):
    """Cosine and sine that make the symmetric matrix [[a, c], [c, b]] diagonal."""
    is_done = c == 0
    ratio = (b - a) / (2 * jnp.where(is_done, 1, c))
    tangent = jnp.where(ratio >= 0, 1, -1) / (jnp.abs(ratio) + jnp.sqrt(1 + ratio * ratio))
    tangent = jnp.where(is_done, 0, tangent)
    cosine = 1 / jnp.sqrt(1 + tangent * tangent)
    return cosine, tangent * cosine


def _turned(rows, p, q, cosine, sine):
    """Rows p and q of a matrix, rotated."""
    x, y = rows[p], rows[q]
    return rows.at[p].set(cosine * x - sine * y).at[q].set(sine * x + cosine * y)


def _sweeps(size, sweep, is_unfinished, state):
    if size < 2:
        return state

    def goes_on(counted):
        return (counted[0] < _SWEEPS) & is_unfinished(counted[1])

    return lax.while_loop(goes_on, lambda counted: (counted[0] + 1, sweep(counted[1])), (0, state))[1]


@jax.custom_jvp
def _eigh(a):
    size = a.shape[0]

    def turn(index, state):
        a, vectors = state
        p, q = first[index], second[index]
        cosine, sine = _rotation(a[p, p], a[q, q], a[p, q])
        a = _turned(_turned(a, p, q, cosine, sine).T, p, q, cosine, sine)
        return a.at[p, q].set(0).at[q, p].set(0), _turned(vectors, p, q, cosine, sine)

    def is_unfinished(state):
        a = state[0]
        rest = a - jnp.diag(jnp.diagonal(a))
        return jnp.sum(rest * rest) > jnp.finfo(a.dtype).eps ** 2 * jnp.sum(a * a)

    first, second = _pairs(size) if size > 1 else (None, None)
    sweep = lambda state: lax.fori_loop(0, first.size, turn, state)
    a, vectors = _sweeps(size, sweep, is_unfinished, (a, jnp.eye(size, dtype=a.dtype)))
    values = jnp.diagonal(a)
    order = jnp.argsort(values)
    return vectors[order].T, values[order]


def _gaps(values):
    """1 / (values[j] - values[i]), and 0 on the diagonal."""
    eye = jnp.eye(values.shape[0], dtype=values.dtype)
    return 1 / (eye + values[None, :] - values[:, None]) - eye


@_eigh.defjvp
def _eigh_jvp(primals, tangents):
    (a,), (da,) = primals, tangents
    vectors, values = _eigh(a)
    inside = _dot(vectors.T, _dot(da, vectors))
    return (vectors, values), (_dot(vectors, _gaps(values) * inside), jnp.diagonal(inside))


def eigh(x, *, lower=True, symmetrize_input=True, sort_eigenvalues=True, subset_by_index=None):
    if subset_by_index is not None and tuple(subset_by_index) != (0, x.shape[-1]):
        raise NotImplementedError("subset_by_index not implemented")
    x = jnp.asarray(x)
    if symmetrize_input:
        x = (x + x.mT) / 2
    else:
        half = jnp.tril(x, -1) if lower else jnp.triu(x, 1)
        x = half + half.mT + x * jnp.eye(x.shape[-1], dtype=x.dtype)
    return _stacked(_eigh, x)


def _tall_svd(a):
    """U with as many columns as `a`, singular values that fall, and V transposed."""
    size = a.shape[1]

    def turn(index, state):
        columns, right = state
        p, q = first[index], second[index]
        x, y = columns[p], columns[q]
        cosine, sine = _rotation(jnp.sum(x * x), jnp.sum(y * y), jnp.sum(x * y))
        return _turned(columns, p, q, cosine, sine), _turned(right, p, q, cosine, sine)

    def is_unfinished(state):
        products = _dot(state[0], state[0].T)
        lengths = jnp.sqrt(jnp.diagonal(products))
        limit = 4 * jnp.finfo(a.dtype).eps * lengths[:, None] * lengths[None, :]
        return jnp.any((jnp.abs(products) > limit) & ~jnp.eye(size, dtype=bool))

    first, second = _pairs(size) if size > 1 else (None, None)
    sweep = lambda state: lax.fori_loop(0, first.size, turn, state)
    columns, right = _sweeps(size, sweep, is_unfinished, (a.T, jnp.eye(size, dtype=a.dtype)))
    values = jnp.sqrt(jnp.sum(columns * columns, axis=1))
    order = jnp.argsort(-values)
    columns, right, values = columns[order], right[order], values[order]
    is_zero = values <= jnp.finfo(a.dtype).eps * a.shape[0] * values[:1]
    left = jnp.where(is_zero[:, None], 0, columns / jnp.where(is_zero, 1, values)[:, None]).T
    # Reflections complete what columns of zeros leave open.
    q, r = _reflected(left)
    signs = jnp.where(jnp.diagonal(r) < 0, -1, 1).astype(a.dtype)
    return q.at[:, :size].multiply(signs), values, right


def _full_svd(a):
    if a.shape[0] >= a.shape[1]:
        return _tall_svd(a)
    v, values, u = _tall_svd(a.T)
    return u.T, values, v.T


@jax.custom_jvp
def _svd(a):
    u, values, v = _full_svd(a)
    count = min(a.shape)
    return u[:, :count], values, v[:count]


@_svd.defjvp
def _svd_jvp(primals, tangents):
    (a,), (da,) = primals, tangents
    u, s, vt = _svd(a)
    inside = _dot(_dot(u.T, da), vt.T)
    gaps = _gaps(s * s)
    rows, columns = inside * s[None, :], s[:, None] * inside
    du = _dot(u, gaps * (rows + rows.T))
    dv = _dot(vt.T, gaps * (columns + columns.T))
    if a.shape[0] > a.shape[1]:
        moved = _dot(da, vt.T)
        du = du + (moved - _dot(u, _dot(u.T, moved))) / s[None, :]
    if a.shape[0] < a.shape[1]:
        moved = _dot(da.T, u)
        dv = dv + (moved - _dot(vt.T, _dot(vt, moved))) / s[None, :]
    return (u, s, vt), (du, jnp.diagonal(inside), dv.T)


def svd(x, *, full_matrices=True, compute_uv=True, subset_by_index=None, algorithm=None):
    x = jnp.asarray(x)
    if not compute_uv:
        return _stacked(_svd, x)[1]
    return _stacked(_full_svd if full_matrices and x.shape[-1] != x.shape[-2] else _svd, x)

"""Factors of matrices: values to a few digits where rounding decides the rest, and products where signs are free."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as sla
import numpy as np
from jax import lax


def show(*values):
    print(*(np.round(np.asarray(v, np.float64), 3) + 0.0 for v in values), sep="\n")


def same(a, b):
    print(a.shape, a.dtype, bool(jnp.allclose(a, b, atol=2e-4)))


rng = np.random.RandomState(0)
tall = jnp.asarray(rng.uniform(-2, 2, (5, 3)), jnp.float32)
wide = tall.T
square = jnp.asarray(rng.uniform(-2, 2, (4, 4)), jnp.float32)
symmetric = square + square.T
positive = square @ square.T + jnp.eye(4)
stack = jnp.stack([positive, symmetric @ symmetric.T + 2 * jnp.eye(4)])

print("triangular systems")
lower, upper = jnp.tril(positive), jnp.triu(positive)
b = jnp.asarray(rng.uniform(-1, 1, (4, 2)), jnp.float32)
show(sla.solve_triangular(positive, b, lower=True), sla.solve_triangular(positive, b[:, 0]))
show(sla.solve_triangular(positive, b, lower=True, trans=1), sla.solve_triangular(positive, b, unit_diagonal=True))
show(lax.linalg.triangular_solve(positive, b.T), lax.linalg.triangular_solve(positive, b.T, lower=True, transpose_a=True))
print(sla.solve_triangular(stack, jnp.stack([b, b]), lower=True).shape)
show(jax.vmap(lambda m: sla.solve_triangular(m, jnp.eye(4), lower=True))(stack)[1])
show(jax.grad(lambda m: sla.solve_triangular(m, b, lower=True).sum())(positive))

print("cholesky")
show(sla.cholesky(positive), sla.cholesky(positive, lower=True), lax.linalg.cholesky(stack)[1])
show(sla.cho_solve(sla.cho_factor(positive), b), sla.solve(positive, b, assume_a="pos"))
print(lax.linalg.cholesky(jnp.array([[1.0, 2.0], [2.0, 1.0]])))

print("lu")
for result in sla.lu(square):
    show(result)
show(*sla.lu(tall, permute_l=True))
lu, pivots = sla.lu_factor(square)
print(pivots, pivots.dtype)
show(sla.lu_solve((lu, pivots), b), sla.lu_solve((lu, pivots), b, trans=1))

print("qr")
for matrix in (tall, wide, square):
    q, r = jnp.linalg.qr(matrix)
    show(q, r)
result = jnp.linalg.qr(tall, mode="complete")
print(type(result).__name__, result._fields, result.Q.shape, result.R.shape)
same(result.Q @ result.R, tall)
show(jnp.linalg.qr(tall, mode="r"), jnp.linalg.qr(stack).R)
dq, dr = jax.jvp(lambda x: tuple(jnp.linalg.qr(x)), (tall,), (tall * tall,))[1]
show(dq, dr)
show(jax.grad(lambda x: jnp.linalg.qr(x).R.sum())(square))

print("eigenvalues")
values, vectors = jnp.linalg.eigh(symmetric)
show(values, jnp.linalg.eigvalsh(symmetric), jnp.linalg.eigvalsh(stack))
same(vectors * values @ vectors.T, symmetric)
print(jnp.linalg.eigh(symmetric)._fields, type(jnp.linalg.eigh(symmetric)).__name__)
show(jax.grad(lambda x: (jnp.linalg.eigvalsh(x) ** 2).sum())(symmetric))
show(jnp.linalg.eigh(jnp.diag(jnp.array([3.0, 1.0, 2.0]))).eigenvalues)

print("singular values")
for matrix in (tall, wide, square):
    u, s, vt = jnp.linalg.svd(matrix, full_matrices=False)
    show(s)
    same(u * s @ vt, matrix)
    full = jnp.linalg.svd(matrix)
    print(full.U.shape, full.S.shape, full.Vh.shape, type(full).__name__)
    same(full.U @ full.U.T, jnp.eye(matrix.shape[0]))
    same(full.Vh @ full.Vh.T, jnp.eye(matrix.shape[1]))
show(jnp.linalg.svdvals(stack), jnp.linalg.svd(symmetric, hermitian=True, compute_uv=False))
show(jax.grad(lambda x: jnp.linalg.svd(x, compute_uv=False).sum())(tall))
flat = jnp.outer(jnp.arange(1.0, 5), jnp.arange(1.0, 4))
show(jnp.linalg.svd(flat, compute_uv=False))
print(jnp.linalg.matrix_rank(flat), jnp.linalg.matrix_rank(tall), jnp.linalg.matrix_rank(jnp.zeros(3)))
same(jnp.linalg.svd(flat).U.T @ jnp.linalg.svd(flat).U, jnp.eye(4))

print("systems")
show(jnp.linalg.pinv(tall), jnp.linalg.pinv(flat), jnp.linalg.pinv(symmetric, hermitian=True))
show(jax.grad(lambda x: jnp.linalg.pinv(x).sum())(tall))
for right in (jnp.arange(5.0), jnp.stack([jnp.arange(5.0), jnp.ones(5)], 1)):
    x, residuals, rank, s = jnp.linalg.lstsq(tall, right)
    show(x, residuals, rank, s)
show(jnp.linalg.cond(square), jnp.linalg.cond(square, 1), jnp.linalg.cond(tall))
show(jnp.linalg.tensorsolve(square.reshape(2, 2, 4), jnp.ones((2, 2))))
show(jnp.linalg.tensorinv(square.reshape(4, 2, 2), ind=1))
show(sla.block_diag(jnp.ones((1, 2)), 3.0, jnp.ones((2, 1))))

for wrong in (
    lambda: jnp.linalg.qr(tall, mode="short"),
    lambda: jnp.linalg.eigh(symmetric, UPLO="X"),
    lambda: jnp.linalg.pinv(tall, rtol=1e-3, rcond=1e-3),
    lambda: jnp.linalg.lstsq(tall, jnp.ones(4)),
    lambda: jnp.linalg.cond(jnp.ones(3)),
    lambda: jnp.linalg.matrix_rank(tall, rtol=1e-3, tol=1e-3),
    lambda: sla.solve_triangular(positive, b, trans=7),
):
    try:
        print(wrong())
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)

print("in transformations")


def solved(m):
    return jax.vmap(lambda a: sla.solve_triangular(a, jnp.eye(4), lower=True, unit_diagonal=True))(m).sum()


print(jax.eval_shape(jax.grad(solved), stack))
show(jax.jit(jax.grad(solved))(stack))
print(jax.eval_shape(jax.vmap(jnp.linalg.eigh), stack))

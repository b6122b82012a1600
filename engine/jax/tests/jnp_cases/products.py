"""Products: shapes, dtypes, einsum subscripts, linear algebra."""
import jax.numpy as jnp


def attempt(label, function):
  try:
    print(label, repr(function()))
  except Exception as error:
    print(label, type(error).__name__, error)


a = jnp.arange(6).reshape(2, 3)
b = jnp.arange(12).reshape(3, 4) - 5
v = jnp.array([1, 2, 3])
c = jnp.arange(24).reshape(2, 3, 4)
d = jnp.arange(16).reshape(2, 4, 2)
m = jnp.array([[4.0, 2.0, 0.5], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
for label, function in {
    "matmul": lambda: a @ b, "matvec": lambda: a @ v, "vecmat": lambda: v @ b, "vecvec": lambda: v @ v, "batched": lambda: c @ d, "broadcast": lambda: (c @ jnp.ones((4, 5), int)).shape, "batch vec": lambda: (c @ jnp.arange(4)), "vec batch": lambda: (jnp.arange(3) @ c), "broadcast 1": lambda: (jnp.ones((1, 3, 4)) @ d.astype(float)).shape, "matmul bad": lambda: a @ a, "matmul scalar": lambda: jnp.matmul(a, 2), "batch bad": lambda: jnp.ones((2, 3, 4)) @ jnp.ones((3, 4, 2)),
    "dot": lambda: jnp.dot(a, b), "dot scalar": lambda: jnp.dot(2, a), "dot nd": lambda: jnp.dot(c, d).shape, "dot bad": lambda: jnp.dot(a, a), "vdot": lambda: jnp.vdot(a, a), "inner": lambda: jnp.inner(a, a), "outer": lambda: jnp.outer(v, v), "tensordot": lambda: jnp.tensordot(a, b, 1), "tensordot 2": lambda: jnp.tensordot(a, a), "tensordot pair": lambda: jnp.tensordot(c, d, ((0, 2), (0, 1))), "tensordot bad": lambda: jnp.tensordot(a, b, 3), "kron": lambda: jnp.kron(jnp.array([[1, 2]]), jnp.array([[1], [3]])), "cross": lambda: jnp.cross(v, jnp.array([0, 1, 0])), "cross 2": lambda: jnp.cross(jnp.array([1, 2]), jnp.array([3, 4])), "vecdot": lambda: jnp.vecdot(a, a),
    "int8": lambda: jnp.full((2, 2), 100, jnp.int8) @ jnp.full((2, 2), 2, jnp.int8), "int8 i32": lambda: jnp.dot(jnp.full(2, 100, jnp.int8), jnp.full(2, 2, jnp.int8), preferred_element_type=jnp.int32), "bf16": lambda: jnp.full((1, 300), 1.01, jnp.bfloat16) @ jnp.ones((300, 1), jnp.bfloat16), "bf16 f32": lambda: jnp.matmul(jnp.ones((1, 2), jnp.bfloat16), jnp.ones((2, 1), jnp.bfloat16), preferred_element_type=jnp.float32), "mixed": lambda: jnp.ones((1, 2), jnp.bfloat16) @ jnp.ones((2, 1)), "bool": lambda: jnp.ones((2, 2), bool) @ jnp.ones((2, 2), bool), "weak": lambda: jnp.dot(2, 3.5), "uint8": lambda: jnp.ones(2, jnp.uint8) @ jnp.ones(2, jnp.int8),
    "einsum mm": lambda: jnp.einsum("ij,jk->ik", a, b), "einsum implicit": lambda: jnp.einsum("ij,jk", a, b), "einsum t": lambda: jnp.einsum("ij->ji", a), "einsum sum": lambda: jnp.einsum("ij->", a), "einsum axis": lambda: jnp.einsum("ij->j", a), "einsum trace": lambda: jnp.einsum("ii", b[:, :3]), "einsum diag": lambda: jnp.einsum("ii->i", b[:, :3]), "einsum outer": lambda: jnp.einsum("i,j->ij", v, v), "einsum three": lambda: jnp.einsum("ij,jk,k->i", a, b, jnp.arange(4)), "einsum batch": lambda: jnp.einsum("bij,bjk->bik", c, d), "einsum swapped": lambda: jnp.einsum("bij,bjk->bki", c, d), "einsum dots": lambda: jnp.einsum("...ij,...jk->...ik", c, d), "einsum dots2": lambda: jnp.einsum("...i,i->...", c, jnp.arange(4)), "einsum hadamard": lambda: jnp.einsum("ij,ij->ij", a, a), "einsum contract": lambda: jnp.einsum("ij,ij", a, a), "einsum spaces": lambda: jnp.einsum(" i j , j k -> i k ", a, b), "einsum attention": lambda: jnp.einsum("bthd,bshd->bhts", jnp.ones((1, 2, 2, 3)), jnp.ones((1, 3, 2, 3))).shape, "einsum preferred": lambda: jnp.einsum("ij,jk->ik", a.astype(jnp.int8), b.astype(jnp.int8), preferred_element_type=jnp.float32), "einsum ones": lambda: jnp.einsum("ij,ij->i", jnp.ones((2, 1)), jnp.ones((2, 3))), "einsum list": lambda: jnp.einsum(a, [0, 1], b, [1, 2], [0, 2]),
    "einsum bad": lambda: jnp.einsum("ij,jk->ik", a, a), "einsum rank": lambda: jnp.einsum("ijk->i", a), "einsum out": lambda: jnp.einsum("ij->k", a), "einsum count": lambda: jnp.einsum("ij,jk->ik", a), "trace": lambda: jnp.trace(b, offset=1), "trace 3d": lambda: jnp.trace(c), "convolve": lambda: jnp.convolve(jnp.array([1, 2, 3]), jnp.array([0, 1, 0.5])), "convolve same": lambda: jnp.convolve(jnp.arange(4.0), jnp.ones(3), mode="same"), "correlate": lambda: jnp.correlate(jnp.arange(4.0), jnp.array([1.0, 2.0])),
    "norm": lambda: jnp.linalg.norm(jnp.array([3.0, 4.0])), "norm axis": lambda: jnp.linalg.norm(m, axis=1), "norm 1": lambda: jnp.linalg.norm(v, ord=1), "norm inf": lambda: jnp.linalg.norm(v, ord=jnp.inf), "norm fro": lambda: jnp.linalg.norm(m, "fro"), "norm m1": lambda: jnp.linalg.norm(m, 1), "det": lambda: jnp.round(jnp.linalg.det(m), 4), "inv": lambda: jnp.round(jnp.linalg.inv(m) @ m, 4) + 0.0, "solve": lambda: jnp.round(jnp.linalg.solve(m, m @ v.astype(float)), 4), "cholesky": lambda: jnp.round(jnp.linalg.cholesky(m @ m.T), 3), "power": lambda: jnp.linalg.matrix_power(b[:, :3], 3), "multi_dot": lambda: jnp.linalg.multi_dot([a, b, b.T]),
}.items():
  attempt(label, function)

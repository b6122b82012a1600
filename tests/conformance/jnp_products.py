"""dot, matmul, einsum, tensordot, outer, vdot, batched products and dtypes of products."""
import jax.numpy as jnp
from jax import lax

a = jnp.arange(6).reshape(2, 3)
b = jnp.arange(12).reshape(3, 4) - 5
v = jnp.array([1, 2, 3])
print(a @ b, jnp.dot(a, v), v @ b, jnp.dot(v, v), v @ v, jnp.matmul(a, b).shape, sep="\n")
print(jnp.vdot(a, a), jnp.outer(v, v), jnp.inner(a, a), jnp.tensordot(a, b, axes=1), jnp.tensordot(a, a), jnp.kron(v, v), sep="\n")
c = jnp.arange(24).reshape(2, 3, 4)
d = jnp.arange(16).reshape(2, 4, 2)
print(c @ d, (c @ d).shape, jnp.einsum("bij,bjk->bik", c, d).sum(), jnp.einsum("ij,j->i", a, v), jnp.einsum("ij->ji", a), sep="\n")
print(jnp.einsum("ii", b[:, :3]), jnp.einsum("ij,ij->", a, a), jnp.einsum("i,j->ij", v, v[:2]), jnp.einsum("bij->b", c), jnp.einsum("...ij,...jk", c, d).shape)
print(lax.dot_general(c, d, (((2,), (1,)), ((0,), (0,)))).shape, lax.dot(a, b).shape, lax.batch_matmul(c, d)[0])
for x, y in (("int8", "int8"), ("bfloat16", "bfloat16"), ("float16", "float32"), ("bool", "bool"), ("int32", "float32")):
  print(x, y, jnp.ones((2, 2), x) @ jnp.ones((2, 2), y))
print(jnp.dot(jnp.ones(2, jnp.int8), jnp.full(2, 100, jnp.int8), preferred_element_type=jnp.int32), repr(jnp.dot(2, jnp.arange(3))))
print(jnp.cross(jnp.array([1, 0, 0]), jnp.array([0, 1, 0])), a.T, a.transpose().shape, c.transpose(2, 0, 1).shape, c.swapaxes(0, 2).shape, a.mT.shape)

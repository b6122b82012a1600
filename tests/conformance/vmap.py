"""`jax.vmap`: axes, trees, nesting, control flow, indexing, errors."""
import jax, jax.numpy as jnp
from jax import lax

x = jnp.arange(6.0).reshape(2, 3)
print(jax.vmap(lambda r: r.sum())(x))
print(jax.vmap(lambda r: jnp.dot(r, r))(x))
print(jax.vmap(lambda a, b: a * b, in_axes=(0, None))(x, 2.0))
print(jax.vmap(jnp.sort, in_axes=1, out_axes=1)(-x))
print(jax.vmap(lambda t: {"s": t["a"] + t["b"], "c": 1}, in_axes=({"a": 0, "b": None},))({"a": x, "b": jnp.ones(3)}))
print(jax.vmap(lambda a: (a, 7.0), out_axes=(1, None))(x))
print(jax.vmap(jax.vmap(lambda a, b: a - b, (None, 0)), (0, None))(jnp.arange(3.0), jnp.arange(2.0)))
print(jax.vmap(lambda a, b: a @ b, in_axes=(0, None))(jnp.ones((2, 3, 4)), jnp.ones((4, 5))).shape)
print(jax.vmap(lambda a, b: jnp.einsum("ij,jk->ik", a, b), in_axes=(None, 2), out_axes=2)(x, jnp.arange(24.0).reshape(3, 2, 4)))
print(jax.vmap(lambda v: lax.cond(v > 1, lambda u: u * 2, lambda u: -u, v))(jnp.arange(4.0)))
print(jax.vmap(lambda n: lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * 2), (0, 1))[1])(jnp.arange(4)))
print(jax.vmap(lambda n: lax.fori_loop(0, n, lambda i, c: c + i, 0))(jnp.arange(4)))
print(jax.vmap(lambda v: lax.fori_loop(0, 3, lambda i, c: c + v[i], 0.0))(x))
print(jax.vmap(lambda v: lax.scan(lambda c, a: (c + a, c * a), 0.0, v))(x))
print(jax.vmap(lambda i: lax.switch(i, [lambda: 1.0, lambda: 2.0, lambda: 3.0]))(jnp.array([2, 0, 5])))
y = jnp.arange(12.0).reshape(3, 4)
print(jax.vmap(lambda i: y[i])(jnp.array([2, 0])))
print(jax.vmap(lambda r, i: r[i])(y, jnp.array([1, 2, 3])))
print(jax.vmap(lambda r, i: lax.dynamic_slice(r, (i,), (2,)))(y, jnp.array([0, 1, 9])))
print(jax.vmap(lambda r, i: r.at[i].add(10.0))(y, jnp.array([0, 1, 3])))
print(jax.vmap(lambda r, i: lax.dynamic_update_slice(r, jnp.full(2, -1.0), (i,)))(y, jnp.array([0, 2, 3])))
print(jax.vmap(lambda r, i: jnp.take(r, i, axis=0), in_axes=(1, None))(y, jnp.array([[0, 1], [2, 0]])))
print(jax.vmap(lambda a, i: a[:, i], in_axes=(0, 0))(jnp.arange(24.0).reshape(2, 3, 4), jnp.array([[1, 0], [3, 2]])))
print(jax.vmap(lambda r: jnp.cumsum(r))(y), jax.vmap(jnp.argmax)(y))
print(jax.vmap(lambda r, v: jnp.pad(r, 1, constant_values=v))(y[:2, :2], jnp.array([5.0, 6.0])))
print(jax.vmap(lambda r, lo: jnp.clip(r, lo, 6.0))(y, jnp.array([1.0, 5.0, 9.0])))
print(jax.vmap(lambda k: jax.random.uniform(k, (2,)))(jax.random.split(jax.random.key(0), 3)))
print(jax.jit(jax.vmap(lambda a: jnp.tanh(a).sum()))(x))
print(jax.vmap(lambda a: a.reshape(3, 1).T)(x).shape, jax.vmap(lambda a: a[::-1])(x))
for bad in (
    lambda: jax.vmap(lambda a, b: a)(x, x.T),
    lambda: jax.vmap(lambda a, b, c: a)(x, {"k": x.T}, x),
    lambda: jax.vmap(lambda a: a, in_axes=(0, 0))(x),
    lambda: jax.vmap(lambda a: a, in_axes=3)(x),
    lambda: jax.vmap(lambda a: a, in_axes="0")(x),
    lambda: jax.vmap(lambda a: a, in_axes=None)(x),
    lambda: jax.vmap(3),
):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)

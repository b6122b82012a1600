"""`jax.grad` and kin: ops, control flow, trees, Jacobians, errors."""
import jax, jax.numpy as jnp
from jax import lax

x = jnp.arange(6.0).reshape(2, 3)
v = jnp.array([0.3, 0.7, 1.9])
print(jax.grad(lambda v: jnp.sum(jnp.sin(v) * v))(x))
print(jax.value_and_grad(lambda v: (v ** 3).sum())(x))
print(jax.grad(lambda w: jnp.tanh(x @ w).mean())(jnp.ones((3, 2))))
print(jax.jvp(jnp.exp, (jnp.float32(1.0),), (jnp.float32(2.0),)))


def rounded(a):
    """What compilation does to the last digit is another program's business."""
    return jnp.round(a, 4) + 0.0


unary = [jnp.exp, jnp.exp2, jnp.log, jnp.log1p, jnp.expm1, jnp.sqrt, lax.rsqrt, jnp.cbrt, jnp.sin, jnp.cos, jnp.tan,
         jnp.arctan, jnp.sinh, jnp.cosh, jnp.tanh, jnp.arcsinh, jax.nn.sigmoid, lax.erf, lax.erfc, jnp.square, jnp.abs,
         jnp.floor, jnp.reciprocal, lambda u: u ** 5, lambda u: u ** -2, lambda u: u ** 1.5, lambda u: 2.0 ** u,
         jax.nn.relu, jax.nn.silu, jax.nn.gelu, jax.nn.softplus, jax.nn.softmax, jax.nn.log_softmax]
for f in unary:
    value, back = jax.vjp(f, v)
    print(rounded(back(jnp.ones(3))[0]), rounded(jax.jvp(f, (v,), (jnp.ones(3),))[1]))
w = jnp.array([1.5, 0.7, -2.0])
for f in [jnp.add, jnp.subtract, jnp.multiply, jnp.divide, jnp.maximum, jnp.minimum, jnp.power, jnp.arctan2, jnp.logaddexp]:
    print(*map(rounded, jax.grad(lambda a, b: f(a, b).sum(), (0, 1))(v, w)))
print(jax.grad(lambda a, b: jnp.where(a > 0.5, a * b, b).sum(), (0, 1))(v, w))
print(jax.grad(lambda a: jnp.clip(a, 0.5, 1.0).sum())(v))
print(jax.grad(lambda a: jnp.max(a) + jnp.prod(a) + jnp.min(a * a))(v))
print(jax.grad(lambda a: jnp.max(a))(jnp.array([1.0, 3.0, 3.0])))
print(jax.grad(lambda a: jax.scipy.special.logsumexp(a))(v))
print(jax.grad(lambda a: (jnp.cumsum(a) * w).sum())(v), jax.grad(lambda a: (jnp.sort(a)[::-1] * w).sum())(v))
print(rounded(jax.grad(lambda a: (jnp.cumprod(a) * w).sum())(v)), jax.jvp(lambda a: lax.cummax(a), (w,), (v,)))
print(jax.grad(lambda a: (lax.cummin(a, reverse=True) * v).sum())(w), jax.hessian(jnp.prod)(v))
print(jax.grad(lambda a: a[jnp.array([0, 0, 2])].sum() + a[1:].prod())(v))
print(jax.grad(lambda a: a.at[1].set(4.0).prod())(v), jax.grad(lambda a: a.at[0].mul(3.0).sum())(v))
print(jax.grad(lambda a: lax.dynamic_slice(a, (1,), (2,)).prod())(v))
print(jax.grad(lambda a: (jnp.concatenate([a, a * 2]) * jnp.arange(6.0)).sum())(v))
print(jax.grad(lambda a: (jnp.pad(a, (1, 2)) * jnp.arange(6.0)).sum() + a.reshape(3, 1).T.mean())(v))
print(jax.grad(lambda a: jnp.broadcast_to(a, (4, 3)).sum() + jnp.outer(a, a).sum())(v))
print(jax.grad(lambda a: jnp.einsum("ij,kj->ik", a, a).sum())(x))
a, b = jnp.arange(12.0).reshape(2, 2, 3), jnp.arange(18.0).reshape(2, 3, 3)
print(*jax.grad(lambda a, b: (lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,)))) ** 2).sum(), (0, 1))(a, b))
print(jax.grad(lambda a: a.astype(jnp.bfloat16).sum().astype(jnp.float32))(v))
print(jax.grad(lambda p: (p["w"] @ p["b"][0]).sum())({"w": x, "b": [v, v]}))
print(jax.grad(lambda a: lax.stop_gradient(a) @ a)(v))


def loop(a):
    return lax.fori_loop(0, 3, lambda i, c: c * a + i, a).sum()


def steps(a):
    c, ys = lax.scan(lambda c, t: (c * t + 1, c), 1.0, a)
    return c + ys.sum()


print(jax.grad(loop)(v), jax.grad(steps)(v), jax.jit(jax.grad(steps))(v))
print(jax.jvp(loop, (v,), (w,)), jax.jvp(steps, (v,), (w,)))
print(jax.grad(lambda a: lax.cond(a.sum() > 0, lambda u: u * 2, lambda u: u ** 2, a).sum())(v))
print(jax.jvp(lambda a: lax.while_loop(lambda c: c.sum() < 50, lambda c: c * a + 1, a), (v,), (w,)))
print(jax.hessian(lambda a: (a ** 3).sum())(v))
print(jax.jacfwd(lambda a: jnp.outer(a, a))(v[:2]))
print(jax.jacrev(lambda a: {"a": a * 2, "b": a.sum()})(v[:2]))
print(jax.grad(jax.grad(lambda a: a ** 4))(2.0))
value, back = jax.vjp(lambda a, b: a @ b, x, x.T)
print(value, back(jnp.ones((2, 2))))
value, push = jax.linearize(jnp.sin, 1.0)
print(value, push(2.0))
print(jax.linear_transpose(lambda a: a * 3.0, 1.0)(2.0))
print(jax.value_and_grad(lambda a: (a.sum(), {"aux": a * 2}), has_aux=True)(v))
print(jax.grad(lambda a: (a.sum(), a * 2), has_aux=True)(v))
print(jax.checkpoint(lambda a: jnp.sin(a))(v), jax.grad(lambda a: jax.remat(jnp.sin)(a).sum())(v))
print(jax.vmap(jax.grad(lambda a, b: (a * b).sum()), (0, None))(x, v))
for bad in (
    lambda: jax.grad(lambda v: v)(x),
    lambda: jax.grad(lambda v: v.sum())(jnp.arange(3)),
    lambda: jax.grad(lambda v: v.sum() > 0)(v),
    lambda: jax.grad(lambda v: v.sum(), argnums=1)(v),
    lambda: jax.grad(lambda v: (v.sum(), 1))(v),
    lambda: jax.grad(lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * x, x))(2.0),
    lambda: jax.jvp(jnp.sin, (v,), (v.astype(jnp.float16),)),
    lambda: jax.jvp(jnp.sin, (v,), (x,)),
    lambda: jax.jvp(jnp.sin, v, v),
):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)

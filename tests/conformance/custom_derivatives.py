"""`jax.custom_vjp`, `jax.custom_jvp`: rules, nondifferentiable arguments, trees, vmap, control flow, errors."""
from functools import partial

import jax, jax.numpy as jnp
from jax import lax


@jax.custom_vjp
def f(x, y):
    return jnp.sin(x) * y


f.defvjp(lambda x, y: (f(x, y), (jnp.cos(x), jnp.sin(x), y)), lambda r, g: (r[0] * g * r[2], r[1] * g * 10))
print(f(1.0, 2.0), jax.grad(f, (0, 1))(1.0, 2.0))
print(jax.vmap(jax.grad(f, (0, 1)))(jnp.arange(3.0), jnp.arange(3.0)))
print(jax.grad(lambda a, b: jax.vmap(f, (0, None))(a, b).sum(), (0, 1))(jnp.arange(3.0), 2.0))
print(jax.jit(jax.grad(f))(1.0, 2.0), jax.grad(jax.jit(f))(1.0, 2.0))


@jax.custom_jvp
def g(x):
    return jnp.log1p(jnp.exp(x))


@g.defjvp
def g_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return g(x), 7 * t * x


x = jnp.float32(2.0)
print(jax.grad(g)(x), jax.jvp(g, (x,), (jnp.float32(1.0),)), g(x))
print(jax.grad(lambda x: jax.vmap(g)(x).sum())(jnp.arange(3.0)))
print(jax.vmap(jax.grad(g))(jnp.arange(3.0)))


@jax.custom_jvp
def h(x, y):
    return x * y


h.defjvps(lambda t, ans, x, y: 5 * t, lambda t, ans, x, y: t * ans)
print(jax.grad(h, (0, 1))(jnp.float32(2.0), jnp.float32(3.0)))


@partial(jax.custom_vjp, nondiff_argnums=(0, 2))
def apply(fun, x, scale):
    return fun(x) * scale


def apply_fwd(fun, x, scale):
    return apply(fun, x, scale), (x,)


def apply_bwd(fun, scale, residuals, g):
    (x,) = residuals
    return (fun(x) * g * 100 * scale,)


apply.defvjp(apply_fwd, apply_bwd)
print(jax.grad(lambda x: apply(jnp.cos, x, 2).sum())(jnp.arange(3.0)))
print(jax.grad(lambda x: apply(jnp.cos, x, scale=3).sum())(jnp.arange(3.0)))


@jax.custom_vjp
def tree(p):
    return {"y": p["a"] * p["b"][0], "n": p["a"].sum()}


def tree_fwd(p):
    return tree(p), (p, 3, None)


def tree_bwd(residuals, g):
    p, number, nothing = residuals
    assert number == 3 and nothing is None
    return ({"a": g["y"] * 2 + g["n"], "b": [None]},)


tree.defvjp(tree_fwd, tree_bwd)
print(jax.grad(lambda p: tree(p)["y"].sum() + tree(p)["n"])({"a": jnp.arange(3.0), "b": [jnp.ones(3)]}))
print(jax.grad(lambda x: lax.fori_loop(0, 3, lambda i, c: f(c, x), x))(0.5))
print(jax.grad(lambda x: lax.scan(lambda c, t: (g(c) * t, c), x, jnp.arange(3.0))[0])(x))


@jax.custom_vjp
def bad(x):
    return x


bad.defvjp(lambda x: (x, None), lambda r, g: (g, g))


@jax.custom_vjp
def shapes(x):
    return x


shapes.defvjp(lambda x: (x, None), lambda r, g: (jnp.ones(7),))
undefined = jax.custom_vjp(lambda x: x)
unpaired = jax.custom_vjp(lambda x: x)
unpaired.defvjp(lambda x: x, lambda r, g: (g,))
for attempt in (
    lambda: jax.grad(bad)(1.0),
    lambda: undefined(1.0),
    lambda: jax.jvp(f, (1.0, 2.0), (1.0, 1.0)),
    lambda: jax.custom_jvp(lambda x: x)(1.0),
):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__, e)
for attempt in (lambda: jax.grad(shapes)(1.0), lambda: jax.grad(unpaired)(1.0)):
    try:
        print(attempt())
    except Exception as e:
        print(type(e).__name__)

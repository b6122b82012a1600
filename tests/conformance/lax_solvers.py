"""Equations with derivatives of their own, closures as arguments, functions whose way back the program gives."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_derivatives import linear_call

matrix = jnp.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
b = jnp.array([1.0, 2.0, 3.0])


def by_rounds(matvec, b):
    """A few rounds of Richardson's iteration: enough for this matrix."""
    return lax.fori_loop(0, 60, lambda _, x: x + 0.25 * (b - matvec(x)), jnp.zeros_like(b))


def solution(matrix, b):
    return lax.custom_linear_solve(lambda x: matrix @ x, b, by_rounds, symmetric=True)


def shown(x):
    return np.round(np.asarray(x), 4)


print(shown(solution(matrix, b)))
print(shown(jax.jit(solution)(matrix, b)))
print(shown(jax.grad(lambda b: solution(matrix, b).sum())(b)))
print(shown(jax.grad(lambda m: solution(m, b)[0])(matrix)))
print([shown(x) for x in jax.jvp(solution, (matrix, b), (jnp.eye(3), jnp.ones(3)))])

uneven = matrix.at[0, 1].set(0.0)


def uneven_solution(m, b):
    return lax.custom_linear_solve(lambda x: m @ x, b, by_rounds, by_rounds)


print(shown(jax.grad(lambda b: uneven_solution(uneven, b)[1])(b)))
try:
    jax.grad(lambda b: lax.custom_linear_solve(lambda x: uneven @ x, b, by_rounds).sum())(b)
except TypeError as error:
    print(error)
try:
    lax.custom_linear_solve(lambda x: x[:2], b, by_rounds)
except ValueError as error:
    print(error)


def root(a):
    def newton(f, x):
        def step(_, x):
            y, slope = jax.jvp(f, (x,), (jnp.ones_like(x),))
            return x - y / slope

        return lax.fori_loop(0, 30, step, x)

    return lax.custom_root(lambda x: x**3 - a, jnp.ones_like(a), newton, lambda g, y: y / g(jnp.ones_like(y)))


print(shown(root(jnp.float32(8.0))), shown(jax.grad(root)(8.0)), shown(jax.jvp(root, (27.0,), (1.0,))[1]))


def minimum(f, x):
    """Gradients by what the function captures."""
    converted, captured = jax.closure_convert(f, x)
    return rounds(converted, x, *captured)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def rounds(f, x, *captured):
    return lax.fori_loop(0, 50, lambda _, x: x - 0.2 * jax.grad(f)(x, *captured), x)


def rounds_forward(f, x, *captured):
    return rounds(f, x, *captured), captured


def rounds_backward(f, captured, g):
    return (jnp.zeros_like(g), *(g * jnp.ones_like(c) for c in captured))


rounds.defvjp(rounds_forward, rounds_backward)
print(shown(jax.grad(lambda c: minimum(lambda x: (x - c) ** 2, 0.5))(3.0)))
converted, captured = jax.closure_convert(lambda x: x * 2.0, 1.0)
print(captured, converted(3.0))


@jax.custom_gradient
def clipped(x):
    return x * x, lambda g: (jnp.clip(g * 2 * x, -1.0, 1.0),)


@jax.custom_gradient
def two(x, y):
    return x * y, lambda g: (g * y * 10.0, g * x * 100.0)


print(jax.grad(clipped)(0.25), jax.grad(clipped)(4.0), clipped(3.0))
print(jax.grad(two, (0, 1))(2.0, 3.0), jax.vmap(jax.grad(clipped))(jnp.array([0.1, 5.0])))


def tripled(x):
    return linear_call(lambda r, x: x * 3.0, lambda r, t: t * 7.0, (), x)


print(tripled(2.0), jax.linear_transpose(tripled, 1.0)(2.0))
print(shown(jax.grad(jax.grad(lax.lgamma))(2.5)), shown(jax.grad(jax.scipy.special.digamma)(jnp.float32(1.5))))

"""Solutions of equations whose derivatives follow from the equation, not from how it was solved, and functions whose way
back the program gives: `lax.custom_linear_solve`, `lax.custom_root`, `linear_call`, `custom_gradient`."""
import jax
import jax.numpy as jnp


def linear_call(fun, fun_transpose, residual_args, linear_args):
    @jax.custom_vjp
    def call(residuals, linear):
        return fun(residuals, linear)

    def forward(residuals, linear):
        return fun(residuals, linear), residuals

    def backward(residuals, cotangent):
        return None, fun_transpose(residuals, cotangent)

    call.defvjp(forward, backward)
    return call(residual_args, linear_args)


@jax.tree_util.register_pytree_node_class
class _WayBack:
    """A function with what it captures: a pytree of that."""

    def __init__(self, function, captured):
        self.function = function
        self.captured = captured

    def tree_flatten(self):
        return tuple(self.captured), self.function

    @classmethod
    def tree_unflatten(cls, function, captured):
        return cls(function, captured)


def custom_gradient(fun):
    @jax.custom_vjp
    def wrapped(*args, **kwargs):
        return fun(*args, **kwargs)[0]

    def forward(*args, **kwargs):
        value, rule = fun(*args, **kwargs)
        return value, _WayBack(*jax.closure_convert(rule, value))

    def backward(way, cotangent):
        given = way.function(cotangent, *way.captured)
        return given if isinstance(given, (tuple, list)) else (given,)

    wrapped.defvjp(forward, backward)
    return wrapped


def _check(what, expected, actual, wanted):
    actual, wanted = ([jnp.shape(leaf) for leaf in jax.tree.leaves(tree)] for tree in (actual, wanted))
    if actual != wanted:
        raise ValueError(f"{what}() output shapes must match {expected}, got {actual} and {wanted}")


def _minus(tree):
    return jax.tree.map(lambda leaf: -leaf, tree)


def _no_tangents(tree):
    return jax.tree.map(jnp.zeros_like, tree)


def custom_linear_solve(matvec, b, solve, transpose_solve=None, symmetric=False, has_aux=False):
    if transpose_solve is None and symmetric:
        transpose_solve = solve
    b = jax.tree.map(jnp.asarray, b)
    matrix, captured = jax.closure_convert(matvec, b)

    def product(captured, x):
        result = matrix(x, *captured)
        _check("matvec", "b", result, b)
        return result

    def solution(captured, b):
        result = solve(lambda x: product(captured, x), b)
        _check("solve", "b", result[0] if has_aux else result, b)
        return result

    def transposed(captured, x):
        return x if symmetric else jax.linear_transpose(lambda v: product(captured, v), b)(x)[0]

    def transposed_solution(captured, cotangent):
        if transpose_solve is None:
            raise TypeError("transpose_solve required for backwards mode automatic differentiation of "
                            "custom_linear_solve")
        way = (lambda x: product(captured, x)) if symmetric else (lambda x: transposed(captured, x))
        result = custom_linear_solve(way, cotangent, transpose_solve, solve, symmetric, has_aux)
        return result[0] if has_aux else result

    @jax.custom_jvp
    def run(captured, b):
        return solution(captured, b)

    @run.defjvp
    def rule(primals, tangents):
        # A x = b, so that A dx = db - dA x.
        (captured, b), (captured_dot, b_dot) = primals, tangents
        result = run(captured, b)
        x = result[0] if has_aux else result
        if captured:
            _, matrix_dot = jax.jvp(lambda captured: product(captured, x), (captured,), (captured_dot,))
            b_dot = jax.tree.map(jnp.subtract, b_dot, matrix_dot)

        def alone(captured, b):
            result = run(captured, b)
            return result[0] if has_aux else result

        x_dot = linear_call(alone, transposed_solution, captured, b_dot)
        return (result, (x_dot, _no_tangents(result[1]))) if has_aux else (result, x_dot)

    return run(captured, b)


def custom_root(f, initial_guess, solve, tangent_solve, has_aux=False):
    guess = jax.tree.map(jnp.asarray, initial_guess)
    function, captured = jax.closure_convert(f, guess)

    @jax.custom_jvp
    def run(captured, guess):
        return solve(lambda x: function(x, *captured), guess)

    @run.defjvp
    def rule(primals, tangents):
        # f(m, x(m)) = 0, so that d_x f dx = -d_m f dm.
        (captured, guess), (captured_dot, _) = primals, tangents
        result = run(captured, guess)
        x = result[0] if has_aux else result
        if captured:
            _, change = jax.jvp(lambda captured: function(x, *captured), (captured,), (captured_dot,))
            _, along = jax.linearize(lambda x: function(x, *captured), x)
            x_dot = _minus(tangent_solve(along, change))
        else:
            x_dot = _no_tangents(x)
        return (result, (x_dot, _no_tangents(result[1]))) if has_aux else (result, x_dot)

    return run(captured, guess)

"""Primitives of a program's own, with a rule for vmap; values that `with` sets."""
import jax
import jax.extend
import jax.numpy as jnp

unmapped_any = jax.extend.core.Primitive("unmapped_any")
unmapped_any.def_impl(lambda x: x)
unmapped_any.def_abstract_eval(lambda x: jax.core.ShapedArray(x.shape, x.dtype))


def rule(arguments, axes):
    (x,), (axis,) = arguments, axes
    return unmapped_any.bind(x if axis is None else jnp.any(x, axis=axis)), None


jax.interpreters.batching.primitive_batchers[unmapped_any] = rule
jax.interpreters.mlir.register_lowering(
    unmapped_any, jax.interpreters.mlir.lower_fun(lambda x: x, multiple_results=False)
)

flags = jnp.arange(6).reshape(2, 3) > 3
print(unmapped_any, unmapped_any.bind(flags))
print(jax.jit(unmapped_any.bind)(flags))
print(jax.vmap(unmapped_any.bind)(flags))
print(jax.vmap(lambda x, y: (unmapped_any.bind(x), y + 1))(flags, jnp.arange(2)))

plain = jax.extend.core.Primitive("plain")
try:
    plain.bind(1)
except NotImplementedError as error:
    print("NotImplementedError:", error)

context = jax.make_user_context(default_value="none")
print(context.value)
with context("outer"):
    with context("inner"):
        print(context.value)
    print(context.value)
print(context.value, context.get_global())

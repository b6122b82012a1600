"""jax.jit(f).lower, .trace, .eval_shape and .compile: the same function, prepared for some types."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnums=1, static_argnames="scale")
def f(x, power, *, scale=1):
    return {"a": x**power * scale, "b": x.sum()}


x = jnp.arange(4.0)
lowered = f.lower(x, 2, scale=3)
print(type(lowered), lowered.out_info)
print(lowered.out_tree)
compiled = lowered.compile()
print(type(compiled), compiled(x))
print(f.eval_shape(x, 2))
traced = f.trace(x, 2)
print(type(traced), traced.out_info)
print(f.lower(jax.ShapeDtypeStruct((3,), jnp.float32), 3).compile()(jnp.full(3, 2.0, jnp.float32)))

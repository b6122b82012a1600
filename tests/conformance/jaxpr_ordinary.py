"""What make_jaxpr shows of elementwise operations, reductions, products and indexing."""

import jax
import jax.numpy as jnp
from jax import lax

x = jnp.ones((2, 3))
v = jnp.arange(3.0)


def show(f, *args, **options):
    print(jax.make_jaxpr(f, **options)(*args))


show(lambda x: x * 2 + 1, 3.0)
show(lambda x: x * 2 + 1, v)
show(lambda x, y: (x @ y, x.sum(), x.max(0)), x, jnp.ones((3, 4)))
show(lambda x: jnp.sin(x) / jnp.exp(-x), x)
show(lambda x: x[1:, ::2], x)
show(lambda x: x.reshape(3, 2).T, x)
show(lambda x: x.astype(jnp.int32), x)
show(lambda x: jnp.mean(x), x)
show(lambda x: jnp.concatenate([x, x]), x)
show(lambda x: x + v, x)
show(lambda x: x**2 + x**0.5 + x**3, x)
show(lambda x: lax.dynamic_slice(x, (0, 1), (1, 2)), x)
show(lambda d: {"a": d["x"] + 1, "b": d["y"]}, {"x": 1, "y": 2.0})
show(lambda x: (), x)
show(lambda x: 3, x)
show(lambda x: (x, x, 2.0), x)
show(lambda: jnp.zeros(3))
show(lambda x: jnp.argmax(x, axis=1), x)
show(lambda x: jnp.dot(x, v), x)
show(lambda x: jnp.broadcast_to(x, (4, 2, 3)), x)
show(lambda x: x[None], x)
show(lambda x: jnp.tanh(x).astype(jnp.bfloat16), x)
show(lambda x: x > 2, x)
show(lambda x: ~(x > 2) & (x < 3), x)
show(lambda x: jnp.maximum(x, 0), x)
show(lambda x: jnp.sqrt(x) + lax.rsqrt(x) + jnp.log(x), x)
show(lambda x: lax.select(x > 0, x, x), x)
show(lambda x: x.sum().astype(int), x)
show(lambda x, n: x * n, x, 3, static_argnums=1)
show(lambda x: lax.sort(x), x)
show(lambda x: lax.pad(x, 0.0, ((1, 1, 0), (0, 2, 1))), x)
show(lambda x: lax.rev(x, (0,)) + lax.cumsum(x, 1), x)

closed = jax.make_jaxpr(lambda x: jnp.sin(x) * v)(v)
print(closed.jaxpr, closed.consts, closed.in_avals, closed.out_avals)
print([str(equation.primitive) for equation in closed.eqns], closed.eqns[0])
print(jax.make_jaxpr(lambda x: x + 1, return_shape=True)(v))

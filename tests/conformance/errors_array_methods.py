"""Wrong calls of methods of arrays, scratch memory that is no memory, and launches that jax.linearize refuses."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.ones((8,))


def attempt(function):
    try:
        print("fine:", function())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


for call in [
    lambda: x.sum(foo=1), lambda: x.mean(1, 2, 3, 4, 5, 6, 7, 8), lambda: x.astype(), lambda: x.clip(1, 2, 3, 4),
    lambda: x.dot(), lambda: x.take(), lambda: x.ravel(1, 2), lambda: x.flatten(order_="C"), lambda: x.tolist(3),
    lambda: x.reshape(8, shape_=2), lambda: x.at[0].set(), lambda: x.at[0].add(1, where=2), lambda: x.at[0].get(3),
    lambda: x.round(1, decimals=2), lambda: x.max(axis=0, axis_=1),
]:
    attempt(call)


def kernel(x_ref, o_ref, s_ref):
    s_ref[...] = x_ref[...]
    o_ref[...] = s_ref[...]


class Shaped:
    shape, dtype = (8,), jnp.float32


for scratch in (jax.ShapeDtypeStruct((8,), jnp.float32), x, 3, Shaped()):
    attempt(lambda: pl.pallas_call(kernel, out_shape=x, scratch_shapes=[scratch], interpret=True)(x))


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def launch(x):
    return pl.pallas_call(double, out_shape=x, interpret=True)(x)


attempt(lambda: jax.linearize(launch, x))
attempt(lambda: jax.linearize(jax.jit(launch), x))
attempt(lambda: jax.linearize(lambda x: x * launch(jnp.ones(8)), x)[1](x))
attempt(lambda: jax.jvp(launch, (x,), (x,)))

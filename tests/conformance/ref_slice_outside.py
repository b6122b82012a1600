# A slice of which all is known, and that ends behind its Ref; the kernel is decorated.
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@functools.cache
def launch():
    def shifted(x_ref, o_ref):
        o_ref[...] = x_ref[pl.ds(1, 8)]

    return pl.pallas_call(shifted, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32), interpret=True)


@jax.jit
def not_called(x):
    return launch()


for attempt in (lambda: launch()(jnp.arange(8.0)), lambda: not_called(jnp.arange(8.0))):
    try:
        attempt()
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error).split(" at ")[0], str(error).rsplit(".py", 1)[-1])

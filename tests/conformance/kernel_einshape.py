"""pltpu.einshape inside kernels."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.arange(24.0).reshape(4, 6)
for equation, sizes, shape in [
    ("ab->ba", {}, (6, 4)),
    ("(ab)c->abc", {"a": 2}, (2, 2, 6)),
    ("(ab)c->bac", {"b": 2}, (2, 2, 6)),
    ("a(bc)->(ab)c", {"c": 3}, (8, 3)),
]:
    def kernel(x_ref, o_ref):
        o_ref[...] = pltpu.einshape(equation, x_ref[...], **sizes)

    print(equation)
    print(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(shape, jnp.float32), interpret=True)(x))


def by_name(x_ref, o_ref):
    o_ref[...] = pltpu.einshape(equation="ab->ba", x=x_ref[...])


print(pl.pallas_call(by_name, out_shape=jax.ShapeDtypeStruct((6, 4), jnp.float32), interpret=True)(x))

# A condition of Python that does not hold leaves the store out of the kernel.
# jax: runs
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def normalize(x_ref, o_ref, scale_ref, *, with_scale):
#                           ^ PL122 warning "never writes its output scale_ref"
    x = x_ref[...]
    scale = jnp.max(jnp.abs(x))
    o_ref[...] = x / scale
    if with_scale:
        scale_ref[...] = jnp.full((8, 128), scale)


def launch(x, with_scale):
    kernel = functools.partial(normalize, with_scale=with_scale)
    return pl.pallas_call(kernel, out_shape=[x, x], interpret=True)(x)


x = jnp.ones((8, 128))
print(launch(x, True)[1].sum())
print(launch(x, False)[0].sum())

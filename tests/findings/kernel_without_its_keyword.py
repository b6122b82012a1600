# What a launch does not give: a keyword, and a Ref of scratch memory.
# jax: TypeError
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.ones((8, 128))


def scale(x_ref, o_ref, *, factor):
#   ^ PL109 error "bind it before: `functools.partial(scale, factor=...)`"
    o_ref[...] = x_ref[...] * factor


pl.pallas_call(scale, out_shape=x, interpret=True)(x)
pl.pallas_call(functools.partial(scale, factor=2), out_shape=x, interpret=True)(x)


def add_up(x_ref, o_ref, acc_ref):
#   ^ PL109 error "there is no Ref for `acc_ref`: ask for scratch memory with `scratch_shapes=[...]`"
    acc_ref[...] = x_ref[...]
    o_ref[...] = acc_ref[...]


pl.pallas_call(add_up, out_shape=x, interpret=True)(x)

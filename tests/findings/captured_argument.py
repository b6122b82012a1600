# An argument of `jax.jit` is a tracer in the kernel, too; one that jit takes as it is is a number.
# jax: ValueError
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def scaled(x_ref, o_ref, *, scale):
    o_ref[...] = x_ref[...] * scale


@functools.partial(jax.jit, static_argnames="scale")
def known(x, scale):
    return pl.pallas_call(functools.partial(scaled, scale=scale), out_shape=x, interpret=True)(x)


def by_traced(x_ref, o_ref, *, scale):
    o_ref[...] = x_ref[...] * scale
#                ^ PL305 error "captures a value of the function around it: f32[]"
#                ^ PL305 error "gets its name in `static_argnames`"


@jax.jit
def traced(x, scale):
    return pl.pallas_call(functools.partial(by_traced, scale=scale), out_shape=x, interpret=True)(x)


x = jnp.ones((8, 128))
known(x, 2.0)
traced(x, 2.0)

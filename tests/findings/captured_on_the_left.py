# Scalars that the kernel captures, and that stand on the left of an operator, or behind a minus.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

alpha = jnp.asarray(2.0)


def scaled(x_ref, o_ref):
    o_ref[...] = alpha * x_ref[...]
#                ^ PL305 error "captures an array from outside"


def negated(x_ref, o_ref):
    o_ref[...] = x_ref[...] * -alpha
#                             ^ PL305 error "captures an array from outside"


def compared(x_ref, o_ref):
    o_ref[...] = jnp.where(alpha < x_ref[...], 1.0, 0.0)
#                          ^ PL305 error "captures an array from outside"


def made_inside(x_ref, o_ref):
    half = jnp.float32(0.5)
    o_ref[...] = half * x_ref[...] + -half


x = jnp.ones((8, 128))
pl.pallas_call(made_inside, out_shape=x, interpret=True)(x)
pl.pallas_call(scaled, out_shape=x, interpret=True)(x)
pl.pallas_call(negated, out_shape=x, interpret=True)(x)
pl.pallas_call(compared, out_shape=x, interpret=True)(x)

# Outputs that the kernels say they leave alone, and one behind a wrapper that keeps the names.
# jax: runs
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def look(x_ref, _):
    print(x_ref.shape)


def drop(x_ref, o_ref):
    del o_ref
    x_ref[...]


def wrapped(kernel):
    @functools.wraps(kernel)
    def run(*refs):
        kernel(*refs)

    return run


def forget(x_ref, o_ref):
#                 ^ PL122 error "never writes its output o_ref"
    x_ref[...]


x = jnp.ones((8, 128))
for kernel in (look, drop, wrapped(look), wrapped(drop), wrapped(forget)):
    pl.pallas_call(kernel, out_shape=x, interpret=True)(x)

# What kernels may well do when they are traced: print shapes, gather parts in lists of their own, count.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

last = None


def kernel(x_ref, o_ref):
    print("traced for", x_ref.shape, x_ref.dtype)
    print("the Ref is", x_ref)
    parts = []
    for row in range(4):
        parts.append(x_ref[row, :])
    last = parts[-1]

    def inner():
        nonlocal last
        last = parts[0] + last
        return last

    pl.debug_print("x {}", x_ref[0, 0])
    o_ref[...] = x_ref[...] + inner()[None]


def outside(x):
    global last
    last = x
    print(x)
    return pl.pallas_call(kernel, out_shape=x, interpret=True)(x)


outside(jnp.ones((8, 128)))

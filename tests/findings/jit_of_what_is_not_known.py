# What a jitted function gives may be known only on the machine that it runs on: nothing is said of its type.
# jax: not run
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

mesh = pltpu.create_tensorcore_mesh("core")


def add_one_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1


@jax.jit
def add_one(x):
    return pl.kernel(add_one_kernel, out_type=x, mesh=mesh, scratch_types=[])(x)


@jax.jit
def both(x):
    return add_one(x), x + 1


x = jnp.arange(1024, dtype=jnp.int32).reshape(8, 128)
y = add_one(x)
jax.tree.map(np.testing.assert_array_equal, both(x), (x + 1, x + 1))
np.testing.assert_array_equal(y, x + 1)


@jax.jit
def none_of_it():
    return object()


none_of_it()
#^ PL001 error "which is not a valid JAX type"

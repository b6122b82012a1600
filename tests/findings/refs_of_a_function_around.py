# A kernel that uses Refs of a function around its launch: JAX hands them in, the workbench does not yet.
# jax: runs
import functools
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def copy_kernel(x_ref, y_ref):
    y_ref[...] = x_ref[...]
#                ^ PL005 warning "a kernel that uses a Ref of a function around its launch is not provided"


def stateful(refs):
    x_ref, y_ref = refs
    pl.pallas_call(functools.partial(copy_kernel, x_ref, y_ref), out_shape=[], interpret=True)()


@jax.jit
def copy(x):
    _, y = pl.run_state(stateful)((x, jnp.zeros_like(x)))
    return y


copy(jnp.arange(1024).reshape(8, 128))

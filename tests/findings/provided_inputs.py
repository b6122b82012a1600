# A file as harnesses of benchmarks take it: they make a `Model` of what `get_init_inputs` gives, and call it with what `get_inputs` gives.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = jnp.maximum(x_ref[...], 0)


class Model:
    def __init__(self, rows):
        self.rows = rows

    def forward(self, x):
        block = pl.BlockSpec((self.rows, x.shape[1]), lambda i: (i, 0))
#                                                     ^ PL120 error "outside x_ref"
        grid = (x.shape[0] // self.rows + 1,)
        return pl.pallas_call(kernel, grid=grid, in_specs=[block], out_specs=block, out_shape=x)(x)


def workload(*inputs):
    block = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                  ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(1,), in_specs=[block], out_shape=inputs[0])(*inputs)


def get_inputs():
    return [jax.random.uniform(jax.random.key(0), (64, 256))]


def get_init_inputs():
    return [16]

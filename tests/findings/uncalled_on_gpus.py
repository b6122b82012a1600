# Code that asks whether there is a GPU is called as if there were one, and code whose blocks say how many dimensions an array has is
# called with such arrays: each function is reached, and its grid is wrong.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def on_hopper(x):
    gpus = [device for device in jax.devices() if device.platform == "gpu"]
    if not gpus or float(gpus[0].compute_capability) < 9.0:
        raise RuntimeError("this kernel needs a GPU of compute capability 9.0")
    m, n = x.shape
    block = pl.BlockSpec((8, n), lambda i, j: (i, 0))
#                                ^ PL106 error "called with 1 program id"
    return pl.pallas_call(kernel, grid=(m // 8,), in_specs=[block], out_shape=x)(x)


def added(x_ref, e_ref, o_ref):
    o_ref[...] = x_ref[...] + e_ref[...]


def with_edges(x, edges):
    b, h, m, n = x.shape
    rows = pl.BlockSpec((None, None, m, n), lambda i, j: (i, j, 0, 0))
    out = pl.BlockSpec((None, None, m, n), lambda i: (i, 0, 0, 0))
#                                          ^ PL106 error "called with 2 program ids"
    return pl.pallas_call(added, grid=(b, h), in_specs=[rows, rows], out_specs=out, out_shape=x)(x, edges)

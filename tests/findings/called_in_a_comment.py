# Functions that nobody calls but comments: what they show is a fact, so that shapes and values are judged, too.
# jax: runs
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

ROWS = 100


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


# Twice as much: the rows that no whole block has are forgotten.
# pallas: call(x=f32[ROWS, 128], block=32)
# pallas: call(
#     x=bf16[64, 128],
#     block=8)
@functools.partial(jax.jit, static_argnames=("block",))
def double(x, *, block):
    spec = pl.BlockSpec((block, 128), lambda i: (i, 0))
#                                     ^ PL121 error "no program writes part of o_ref"
    return pl.pallas_call(kernel, grid=(x.shape[0] // block,), in_specs=[spec], out_specs=spec, out_shape=x)(x)


# pallas: call({"w": f32[8, 128], "scales": [f32[()], jax.ShapeDtypeStruct((128,), jnp.float32)]}, x=i32[8, 128])
def structured(params, x):
    assert params["scales"][1].shape == (128,) and params["scales"][0].ndim == 0
    return pl.pallas_call(kernel, in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))], grid=(2, 2), out_shape=x)(x)
#                                                                  ^ PL106 error "called with 2 program ids"


# pallas: call(f32[8, 128], f32[128, 8])
def misfit(x, y):
    z = x + y
#       ^ PL303 error "TypeError: add got incompatible shapes"
    return pl.pallas_call(kernel, out_shape=x)(z)


# pallas: call(f32[8, 128], blocks=8)
def other_names(x, *, block):
#   ^ PL001 error "unexpected keyword argument 'blocks'"
    return pl.pallas_call(kernel, out_shape=x)(x)


# pallas: call(f32[8, nothing])
#^ PL001 error "evaluating this comment raises NameError"
def undefined(x):
    return pl.pallas_call(kernel, out_shape=x)(x)


# pallas: call(f32[8, 128]
#^ PL001 error "'(' was never closed"
def unclosed(x):
    return pl.pallas_call(kernel, out_shape=x)(x)

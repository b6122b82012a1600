# An argument of a class whose annotations are text, and one that is taken apart: the functions are reached, and their mistakes found.
# jax: not run
from __future__ import annotations

from typing import NamedTuple

import jax
from jax.experimental import pallas as pl


class Tables(NamedTuple):
    starts: jax.Array | None
    mask: jax.Array | None = None


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def launch(x: jax.Array, tables: Tables):
    if tables.starts is not None:
        raise NotImplementedError
    rows, lanes = x.shape
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    out = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                ^ PL106 error "called with 1 program id"
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, grid=(rows // 8,), in_specs=[block], out_specs=out, out_shape=shape)(x)


def backward(residuals: tuple, gradient):
    x, scale = residuals
    rows, lanes = x.shape
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    out = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
#                                ^ PL106 error "called with 1 program id"
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(kernel, grid=(rows // 8,), in_specs=[block], out_specs=out, out_shape=shape)(gradient)

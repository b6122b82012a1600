# Of functions that nobody calls: a parameter without an annotation is a number where another function says so of one of its name, heads
# come in whole groups, and an array that a block takes one column of may have one column.
# jax: not run
import functools
from typing import Optional
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def scale(x_ref, s_ref, o_ref, *, kv_len):
    @pl.when(pl.program_id(0) * 128 < kv_len)
    def _():
        o_ref[...] = x_ref[...] * s_ref[...]

    @pl.when(pl.program_id(0) * 128 >= kv_len)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)


def scaled(x: jax.Array, s: jax.Array, kv_len: Optional[int] = None):
    """x: [m, n], s: [m, k]"""
    m, n = x.shape
    rows = pl.BlockSpec((128, n), lambda i: (i, 0))
    column = pl.BlockSpec((128, 1), lambda i: (i, 0))
    return pl.pallas_call(
        functools.partial(scale, kv_len=kv_len or m),
        grid=(pl.cdiv(m, 128),),
        in_specs=[rows, column],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        compiler_params=pltpu.CompilerParams(),
    )(x, s)


def scaled_fwd(kv_len, x, s):
    return scaled(x, s, kv_len), (x, s)


def copy_group(x_ref, o_ref, *, nheads, ngroups):
    head = pl.program_id(0)
    o_ref[0] = x_ref[head // (nheads // ngroups)]


def heads_of_groups(x: jax.Array, *, nheads: int, ngroups: int):
    """x: [ngroups, 128, 128]"""
    return pl.pallas_call(
        functools.partial(copy_group, nheads=nheads, ngroups=ngroups),
        grid=(nheads,),
        in_specs=[pl.BlockSpec((ngroups, 128, 128), lambda h: (0, 0, 0))],
        out_specs=pl.BlockSpec((1, 128, 128), lambda h: (h, 0, 0)),
        out_shape=jax.ShapeDtypeStruct((nheads, 128, 128), x.dtype),
    )(x)


def thin_rows(x: jax.Array):
    """x: [m, n]"""
    block = pl.BlockSpec((1, 128), lambda i, j: (i, j))
#                        ^ PL501 warning "neither a multiple of 8"
    return pl.pallas_call(
        lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...]),
        grid=(x.shape[0], x.shape[1] // 128),
        in_specs=[block],
        out_specs=block,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        compiler_params=pltpu.CompilerParams(),
    )(x)

# Programs that store to a block that others store to, and lose nothing that is meant to stay.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


# What scratch memory holds is the sum so far: the last program stores all of it.
def running(x_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.sum(x_ref[...], axis=0, keepdims=True)
    o_ref[...] = acc_ref[...]


# The last rows of each block: those of the last block stay.
def tail(x_ref, o_ref):
    o_ref[...] = x_ref[7:, :] * 2


# A sum along a dimension of which every program has all.
def along_whole_rows(x_ref, o_ref):
    o_ref[...] = jnp.sum(x_ref[...], axis=1, keepdims=True)


# Each program has a row of its own.
def rows_of_their_own(x_ref, o_ref):
    o_ref[pl.ds(pl.program_id(0), 1), :] = jnp.sum(x_ref[...], axis=0, keepdims=True)


# Of the last program alone.
def last_only(x_ref, o_ref):
    @pl.when(pl.program_id(0) == pl.num_programs(0) - 1)
    def _():
        o_ref[...] = jnp.sum(x_ref[...], axis=0, keepdims=True)


def added(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] = o_ref[...] + jnp.sum(x_ref[...], axis=0, keepdims=True)


# The same block of the input in all programs.
def of_one_block(x_ref, o_ref):
    o_ref[...] = jnp.sum(x_ref[...], axis=0, keepdims=True)


def call(kernel, out, block, in_map=lambda i: (i, 0), scratch=()):
    return pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec((8, 128), in_map)],
        out_specs=pl.BlockSpec(block, lambda i: (0, 0)),
        out_shape=jax.ShapeDtypeStruct(out, jnp.float32),
        scratch_shapes=scratch,
        interpret=True,
    )(x)


x = jnp.ones((32, 128))
call(running, (1, 128), (1, 128), scratch=[pltpu.VMEM((1, 128), jnp.float32)])
call(tail, (1, 128), (1, 128))
call(rows_of_their_own, (4, 128), (4, 128))
call(last_only, (1, 128), (1, 128))
call(added, (1, 128), (1, 128))
pl.pallas_call(
    along_whole_rows,
    grid=(4,),
    in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((8, 1), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((32, 1), jnp.float32),
    interpret=True,
)(x)
pl.pallas_call(
    of_one_block,
    grid=(4,),
    in_specs=[pl.BlockSpec((32, 128), lambda i: (0, 0))],
    out_specs=pl.BlockSpec((1, 128), lambda i: (0, 0)),
    out_shape=jax.ShapeDtypeStruct((1, 128), jnp.float32),
    interpret=True,
)(x)

# Blocks that do not divide the array: what lies past its end goes into sums, maxima and dots.
# jax: runs
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def sums(x_ref, o_ref):
    o_ref[...] = jnp.sum(x_ref[...], axis=0, keepdims=True)
#                        ^ PL204 error "rows 100..128 of x_ref, which has 100"


def product(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...] @ y_ref[...]
#                              ^ PL204 error "rows 100..128 of y_ref"


def times_zero(x_ref, o_ref):
    rows = pl.program_id(0) * 32 + lax.broadcasted_iota(jnp.int32, x_ref.shape, 0)
    # NaN times zero is NaN.
    o_ref[...] = jnp.max(x_ref[...] * (rows < 100).astype(x_ref.dtype), axis=0, keepdims=True)
#                        ^ PL204 error "x_ref"


def short_mask(x_ref, o_ref):
    rows = pl.program_id(0) * 32 + lax.broadcasted_iota(jnp.int32, x_ref.shape, 0)
    o_ref[...] = jnp.where(rows < 104, x_ref[...], 0).sum(axis=0, keepdims=True)
#                                      ^ PL204 error "x_ref"


def reversed_rows(x_ref, o_ref):
    o_ref[...] = jnp.flip(x_ref[...], axis=0)
#                         ^ PL204 error "element (96, 0)"


def by_rows(kernel, out_rows, out_block):
    pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec((32, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((out_block, 128), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((out_rows, 128), jnp.float32),
        interpret=True,
    )(jnp.ones((100, 128)))


by_rows(sums, 4, 1)
by_rows(times_zero, 4, 1)
by_rows(short_mask, 4, 1)
by_rows(reversed_rows, 100, 32)
pl.pallas_call(
    product,
    grid=(2, 1, 4),
    in_specs=[pl.BlockSpec((32, 32), lambda i, j, k: (i, k)), pl.BlockSpec((32, 128), lambda i, j, k: (k, j))],
    out_specs=pl.BlockSpec((32, 128), lambda i, j, k: (i, j)),
    out_shape=jax.ShapeDtypeStruct((64, 128), jnp.float32),
    interpret=True,
)(jnp.ones((64, 100)), jnp.ones((100, 128)))

# Sums over blocks of which each program stores its own over the one before: `=` where `+=` is meant.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def weight_gradient(x_ref, g_ref, dx_ref, dw_ref):
    dx_ref[...] = g_ref[...] * 2
    dw_ref[...] = jnp.sum(x_ref[...] * g_ref[...], axis=0, keepdims=True)
#   ^ PL132 warning "each program along grid axis 0 overwrites in dw_ref what the one before has stored"


def matmul(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...])
#   ^ PL132 warning "each program along grid axis 2 overwrites in o_ref what the one before has stored"


def largest(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.full_like(o_ref, -jnp.inf)

    o_ref[0, :] = jnp.max(jnp.abs(x_ref[...]), axis=0)
#   ^ PL132 warning "each program along grid axis 0 overwrites in o_ref what the one before has stored"


x = jnp.ones((32, 128))
rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
one = pl.BlockSpec((1, 128), lambda i: (0, 0))
pl.pallas_call(
    weight_gradient,
    grid=(4,),
    in_specs=[rows, rows],
    out_specs=[rows, one],
    out_shape=[x, jax.ShapeDtypeStruct((1, 128), jnp.float32)],
    interpret=True,
)(x, x)
pl.pallas_call(
    matmul,
    grid=(2, 2, 2),
    in_specs=[pl.BlockSpec((64, 64), lambda i, j, k: (i, k)), pl.BlockSpec((64, 64), lambda i, j, k: (k, j))],
    out_specs=pl.BlockSpec((64, 64), lambda i, j, k: (i, j)),
    out_shape=jax.ShapeDtypeStruct((128, 128), jnp.float32),
    interpret=True,
)(jnp.ones((128, 128)), jnp.ones((128, 128)))
pl.pallas_call(
    largest,
    grid=(4,),
    in_specs=[rows],
    out_specs=one,
    out_shape=jax.ShapeDtypeStruct((1, 128), jnp.float32),
    interpret=True,
)(x)

# A sum that ends before the array does, and inputs of which a part is meant.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def add_up(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...]


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((100, 128))
total = pl.BlockSpec((25, 128), lambda k: (0, 0))
whole = jax.ShapeDtypeStruct((25, 128), jnp.float32)
follow = pl.BlockSpec((25, 128), lambda k: (k, 0))
#                                ^ PL127 warning "rows 75..100 of x_ref"
pl.pallas_call(add_up, grid=(3,), in_specs=[follow], out_specs=total, out_shape=whole, interpret=True)(x)
pl.pallas_call(
    add_up,
    grid=(4,),
    in_specs=[pl.BlockSpec((25, 128), lambda k: (k, 0))],
    out_specs=total,
    out_shape=whole,
    interpret=True,
)(x)

# The first rows may be all that is wanted; so may a row that is picked.
pl.pallas_call(
    copy,
    grid=(2,),
    in_specs=[pl.BlockSpec((25, 128), lambda i: (i, 0))],
#                                     ^ PL127 info "rows 50..100 of x_ref"
    out_specs=pl.BlockSpec((25, 128), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((50, 128), jnp.float32),
    interpret=True,
)(x)
layers = jnp.ones((3, 50, 128))
pl.pallas_call(
    copy,
    grid=(2,),
    in_specs=[pl.BlockSpec((None, 25, 128), lambda i: (1, i, 0))],
    out_specs=pl.BlockSpec((25, 128), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((50, 128), jnp.float32),
    interpret=True,
)(layers)

# Blocks that fit in shape, and move along different axes of the grid.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.arange(96.0 * 96).reshape(96, 96)
here = pl.BlockSpec((32, 32), lambda i, j: (i, j))


def add(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def launch(x_spec):
    return pl.pallas_call(add, grid=(3, 3), in_specs=[x_spec, here], out_specs=here, out_shape=x, interpret=True)(x, x)


launch(pl.BlockSpec((32, 32), lambda i, j: (j, i)))
#                             ^ PL126 warning "x_ref follows grid axis 1 along its dimension 0"
launch(pl.BlockSpec((32, 32), lambda i, j: (i, 0)))
#                             ^ PL126 warning "program (0, 1): columns 0..32 of x_ref meet columns 32..64 of y_ref"


# What is summed over has to fit, too.
def product(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...] @ y_ref[...]


pl.pallas_call(
    product,
    grid=(3, 3, 3),
    in_specs=[
        pl.BlockSpec((32, 32), lambda i, j, k: (i, j)),
        pl.BlockSpec((32, 32), lambda i, j, k: (k, j)),
#                              ^ PL126 warning "y_ref follows grid axis 2 along its dimension 0, x_ref follows grid axis 1"
    ],
    out_specs=pl.BlockSpec((32, 32), lambda i, j, k: (i, j)),
    out_shape=x,
    interpret=True,
)(x, x)


# Through a loop and a transposition.
def through(x_ref, y_ref, o_ref):
    def step(_, sum):
        return sum + x_ref[...].T

    o_ref[...] = jax.lax.fori_loop(0, 2, step, y_ref[...])


transposed = pl.BlockSpec((32, 32), lambda i, j: (i, j))
#                                   ^ PL126 warning "they follow different grid axes"
pl.pallas_call(
    through, grid=(3, 3), in_specs=[transposed, here], out_specs=here, out_shape=x, interpret=True
)(x, x)


# One matrix of a batch for each program: which one has to follow the same axis, or all belong together.
def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


batch = x.reshape(4, 48, 48)
pl.pallas_call(
    copy,
    grid=(4, 6),
    in_specs=[pl.BlockSpec((None, 8, 48), lambda b, i: (0, i, 0))],
#                                         ^ PL127 info "positions 1..4 along dimension 0 of x_ref"
    out_specs=pl.BlockSpec((None, 8, 48), lambda b, i: (b, i, 0)),
    out_shape=batch,
    interpret=True,
)(batch)

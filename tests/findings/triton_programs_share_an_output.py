# Programs of a GPU run at the same time: what they add to one output block is lost. Interpret mode runs them in order.
# jax: not run
# target: triton
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def total(x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...]
#   ^ PL125 error "loop over what axis 0 goes over within the kernel"


def matmul(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...] @ y_ref[...]
#   ^ PL125 error "grid axis 2, whose programs Triton runs at the same time"


x = jnp.ones((512,), jnp.float32)
pl.pallas_call(
    total,
    grid=(8,),
    in_specs=[pl.BlockSpec((64,), lambda i: (i,))],
    out_specs=pl.BlockSpec((64,), lambda i: (0,)),
    out_shape=jax.ShapeDtypeStruct((64,), jnp.float32),
)(x)
y = jnp.ones((64, 64), jnp.float32)
pl.pallas_call(
    matmul,
    grid=(2, 2, 2),
    in_specs=[pl.BlockSpec((32, 32), lambda i, j, k: (i, k)), pl.BlockSpec((32, 32), lambda i, j, k: (k, j))],
    out_specs=pl.BlockSpec((32, 32), lambda i, j, k: (i, j)),
    out_shape=y,
)(y, y)

# A pipeline inside of a kernel has a grid and blocks of its own: what goes wrong with them is what goes wrong with a launch's.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.ones((256, 256))
y = jnp.ones((256, 128))
main = pl.BlockSpec(memory_space=pl.ANY)


def launch(kernel):
    return pl.pallas_call(
        kernel,
        in_specs=[main, main],
        out_specs=main,
        out_shape=jax.ShapeDtypeStruct((256, 128), jnp.float32),
        interpret=pltpu.InterpretParams(),
    )(x, y)


def add_products(x_vmem, y_vmem, o_vmem):
    o_vmem[...] += x_vmem[...] @ y_vmem[...]
#   ^ PL203 error "step (0, 0, 0): element (0, 0) of o_vmem depends on it"


@launch
def not_set(x_hbm, y_hbm, o_hbm):
    pltpu.emit_pipeline(
        add_products,
        grid=(2, 1, 2),
        in_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
        out_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, j))],
    )(x_hbm, y_hbm, o_hbm)


def product(x_vmem, y_vmem, o_vmem):
    @pl.when(pl.program_id(2) == 0)
    def _():
        o_vmem[...] = jnp.zeros_like(o_vmem)

    o_vmem[...] += x_vmem[...] @ y_vmem[...]


@launch
def outside(x_hbm, y_hbm, o_hbm):
    pltpu.emit_pipeline(
        product,
        grid=(2, 1, 3),
        in_specs=[
            pl.BlockSpec((128, 128), lambda i, j, k: (i, k)),
#                                    ^ PL120 error "step (0, 0, 2): columns 256..384 of x_vmem, which has 256"
            pl.BlockSpec((128, 128), lambda i, j, k: (jnp.minimum(k, 1), j)),
        ],
        out_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, j))],
    )(x_hbm, y_hbm, o_hbm)


@launch
def right(x_hbm, y_hbm, o_hbm):
    # Another pipeline writes the other half.
    for half in range(2):
        rows = pl.ds(half * 128, 128)
        pltpu.emit_pipeline(
            product,
            grid=(1, 1, 2),
            in_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
            out_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, j))],
        )(x_hbm.at[rows], y_hbm, o_hbm.at[rows])

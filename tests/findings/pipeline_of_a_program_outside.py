# Pipelines inside of kernels whose blocks follow the programs around them.
# jax: not run
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.ones((512, 128))
main = pl.BlockSpec(memory_space=pl.ANY)


def launch(kernel):
    return pl.pallas_call(kernel, grid=(2,), in_specs=[main], out_specs=main, out_shape=x)(x)


def copy(x_vmem, o_vmem):
    o_vmem[...] = x_vmem[...]


@launch
def outside(x_hbm, o_hbm):
    program = pl.program_id(0)
    pltpu.emit_pipeline(
        copy,
        grid=(2,),
        in_specs=[pl.BlockSpec((128, 128), lambda i: (program * 4 + i, 0))],
#                                          ^ PL120 error "program (1,), step (0,): rows 512..640 of x_hbm, which has 512"
        out_specs=[pl.BlockSpec((128, 128), lambda i: (program * 2 + i, 0))],
    )(x_hbm, o_hbm)


@launch
def outside_in_a_loop(x_hbm, o_hbm):
    def body(number, _):
        pltpu.emit_pipeline(
            copy,
            grid=(2,),
            in_specs=[pl.BlockSpec((128, 128), lambda i: (number * 2 + i, 0))],
#                                              ^ PL120 error "loop counter 2, step (0,): rows 512..640"
            out_specs=[pl.BlockSpec((128, 128), lambda i: (i, 0))],
        )(x_hbm, o_hbm)

    lax.fori_loop(0, 3, body, None)


@launch
def inside(x_hbm, o_hbm):
    program = pl.program_id(0)
    spec = pl.BlockSpec((128, 128), lambda i: (program * 2 + i, 0))
    pltpu.emit_pipeline(copy, grid=(2,), in_specs=[spec], out_specs=[spec])(x_hbm, o_hbm)

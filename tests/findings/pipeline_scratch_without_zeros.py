# The scratch memory of a pipeline inside of a kernel is the kernel's, and nobody else uses it: the first step finds nothing in it.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.ones((256, 256))
y = jnp.ones((256, 128))
main = pl.BlockSpec(memory_space=pl.ANY)
blocks = dict(
    in_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
    out_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, j))],
)


def launch(kernel, scratch=()):
    return pl.pallas_call(
        kernel,
        in_specs=[main, main],
        out_specs=main,
        out_shape=jax.ShapeDtypeStruct((256, 128), jnp.float32),
        scratch_shapes=scratch,
        interpret=pltpu.InterpretParams(),
    )(x, y)


def scoped_without_zeros(x_hbm, y_hbm, o_hbm):
    def scope(acc_ref):
        def step(x_vmem, y_vmem, o_vmem):
            acc_ref[...] += x_vmem[...] @ y_vmem[...]
#           ^ PL203 error "step (0, 0, 0): element (0, 0) of o_vmem depends on it"
            o_vmem[...] = acc_ref[...]

        pltpu.emit_pipeline(step, grid=(2, 1, 2), **blocks)(x_hbm, y_hbm, o_hbm)

    pl.run_scoped(scope, pltpu.VMEM((128, 128), jnp.float32))


def scoped_outside(x_hbm, y_hbm, o_hbm):
    def scope(acc_ref):
        def step(x_vmem, y_vmem, o_vmem):
            @pl.when(pl.program_id(2) == 0)
            def _():
                acc_ref[...] = jnp.zeros_like(acc_ref)

            acc_ref[...] += x_vmem[...] @ y_vmem[...]
            o_vmem[...] = acc_ref[...]

        pltpu.emit_pipeline(
            step,
            grid=(2, 1, 2),
            in_specs=[
                pl.BlockSpec((128, 128), lambda i, j, k: (i, k + 1)),
#                                        ^ PL120 error "step (0, 0, 1): columns 256..384 of x_vmem, which has 256"
                pl.BlockSpec((128, 128), lambda i, j, k: (k, j)),
            ],
            out_specs=[pl.BlockSpec((128, 128), lambda i, j, k: (i, j))],
        )(x_hbm, y_hbm, o_hbm)

    pl.run_scoped(scope, pltpu.VMEM((128, 128), jnp.float32))


launch(scoped_without_zeros)
launch(scoped_outside)

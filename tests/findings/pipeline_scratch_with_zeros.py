# Scratch memory that a pipeline inside of a kernel adds up in, set to zero by its steps, by the kernel before, or by another pipeline.
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


def launch(kernel):
    return pl.pallas_call(
        kernel,
        in_specs=[main, main],
        out_specs=main,
        out_shape=jax.ShapeDtypeStruct((256, 128), jnp.float32),
        scratch_shapes=[pltpu.VMEM((128, 128), jnp.float32)],
        interpret=pltpu.InterpretParams(),
    )(x, y)


def adding(acc_ref):
    def body(x_vmem, y_vmem, o_vmem):
        acc_ref[...] += x_vmem[...] @ y_vmem[...]

        @pl.when(pl.program_id(2) == 1)
        def _():
            o_vmem[...] = acc_ref[...]
            acc_ref[...] = jnp.zeros_like(acc_ref)

    return body


@launch
def by_its_steps(x_hbm, y_hbm, o_hbm, acc_ref):
    def step(x_vmem, y_vmem, o_vmem):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        adding(acc_ref)(x_vmem, y_vmem, o_vmem)

    pltpu.emit_pipeline(step, grid=(2, 1, 2), **blocks)(x_hbm, y_hbm, o_hbm)


@launch
def by_the_kernel_before(x_hbm, y_hbm, o_hbm, acc_ref):
    acc_ref[...] = jnp.zeros_like(acc_ref)
    pltpu.emit_pipeline(adding(acc_ref), grid=(2, 1, 2), **blocks)(x_hbm, y_hbm, o_hbm)


@launch
def by_another_pipeline(x_hbm, y_hbm, o_hbm, acc_ref):
    def zeros(x_vmem, y_vmem, o_vmem):
        acc_ref[...] = jnp.zeros_like(acc_ref)
        o_vmem[...] = x_vmem[...] + y_vmem[...]

    pltpu.emit_pipeline(zeros, grid=(2, 1, 1), **blocks)(x_hbm, y_hbm, o_hbm)
    pltpu.emit_pipeline(adding(acc_ref), grid=(2, 1, 2), **blocks)(x_hbm, y_hbm, o_hbm)

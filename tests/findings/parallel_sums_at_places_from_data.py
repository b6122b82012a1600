# Sums along a parallel axis at places that data says, under masks that data says, and along axes of a GPU that nothing says of.
# jax: not run
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton

parallel = pltpu.CompilerParams(dimension_semantics=("parallel",))
one = pl.BlockSpec((128,), lambda k: (0,))
own = pl.BlockSpec((128,), lambda k: (k,))
x = jnp.ones((512,))
zeros = jnp.zeros((128,))
bins = jnp.zeros((512,), jnp.int32)


def begin(o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)


def histogram(bins_ref, x_ref, o_ref):
    begin(o_ref)

    def count(n, _):
        o_ref[bins_ref[n]] += x_ref[n]
#       ^ PL125 error "an element of o_ref that data says"

    lax.fori_loop(0, 128, count, None)


def of_some(x_ref, o_ref):
    begin(o_ref)
    x = x_ref[...]
    pltpu.store(o_ref, o_ref[...] + x, mask=x > 0)
#                      ^ PL125 error "o_ref passes values along grid axis 0, which is declared parallel"


def of_the_first(n_ref, x_ref, _, o_ref):
    mask = jnp.arange(128) < n_ref[0]
    before = pltriton.load(o_ref.at[...], mask=mask, other=0.0)
#            ^ PL125 error "whose programs Triton runs at the same time"
    pltriton.store(o_ref.at[...], before + x_ref[...], mask=mask)


def on_a_gpu(x_ref, _, o_ref):
    o_ref[...] += x_ref[...]
#   ^ PL125 error "which Mosaic GPU takes for parallel"


pl.pallas_call(
    histogram, grid=(4,), in_specs=[own, own], out_specs=one, out_shape=zeros, compiler_params=parallel, interpret=True
)(bins, x)
pl.pallas_call(
    of_some, grid=(4,), in_specs=[own], out_specs=one, out_shape=zeros, compiler_params=parallel, interpret=True
)(x)
jax.eval_shape(
    pl.pallas_call(
        of_the_first,
        grid=(4,),
        in_specs=[pl.BlockSpec((1,), lambda k: (0,)), own, one],
        out_specs=one,
        out_shape=zeros,
        input_output_aliases={2: 0},
        compiler_params=pltriton.CompilerParams(),
    ),
    jax.ShapeDtypeStruct((1,), jnp.int32),
    x,
    zeros,
)
pl.pallas_call(
    on_a_gpu,
    grid=(4,),
    in_specs=[own, one],
    out_specs=one,
    out_shape=zeros,
    input_output_aliases={1: 0},
    compiler_params=plgpu.CompilerParams(),
)(x, zeros)

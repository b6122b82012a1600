# Programs that go one after the other, or that data keeps apart.
# jax: not run
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as pltriton

one = pl.BlockSpec((128,), lambda k: (0,))
own = pl.BlockSpec((128,), lambda k: (k,))
x = jnp.ones((512,))
zeros = jnp.zeros((128,))
bins = jnp.zeros((512,), jnp.int32)


def histogram(bins_ref, x_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    def count(n, _):
        o_ref[bins_ref[n]] += x_ref[n]

    lax.fori_loop(0, 128, count, None)


def histogram_of_each(bins_ref, x_ref, o_ref):
    o_ref[...] = jnp.zeros_like(o_ref)

    def count(n, _):
        o_ref[bins_ref[n]] += x_ref[n]

    lax.fori_loop(0, 128, count, None)


def of_its_rows(rows_ref, x_ref, _, o_ref):
    rows = rows_ref[...]
    o_ref[rows] += x_ref[...]


def of_its_share(owner_ref, x_ref, _, o_ref):
    mask = owner_ref[...] == pl.program_id(0)
    before = pltriton.load(o_ref.at[...], mask=mask, other=0.0)
    pltriton.store(o_ref.at[...], before + x_ref[...], mask=mask)


def add(x_ref, _, o_ref):
    o_ref[...] += x_ref[...]


in_order = pltpu.CompilerParams(dimension_semantics=("arbitrary",))
parallel = pltpu.CompilerParams(dimension_semantics=("parallel",))
pl.pallas_call(
    histogram, grid=(4,), in_specs=[own, own], out_specs=one, out_shape=zeros, compiler_params=in_order, interpret=True
)(bins, x)
pl.pallas_call(
    histogram_of_each,
    grid=(4,),
    in_specs=[own, own],
    out_specs=own,
    out_shape=x,
    compiler_params=parallel,
    interpret=True,
)(bins, x)
main = pl.BlockSpec(memory_space=pl.ANY)
pl.pallas_call(
    of_its_rows,
    grid=(4,),
    in_specs=[own, own, main],
    out_specs=main,
    out_shape=zeros,
    input_output_aliases={2: 0},
    compiler_params=pltriton.CompilerParams(),
)(bins, x, zeros)
pl.pallas_call(
    of_its_share,
    grid=(4,),
    in_specs=[one, own, one],
    out_specs=one,
    out_shape=zeros,
    input_output_aliases={2: 0},
    compiler_params=pltriton.CompilerParams(),
)(bins[:128], x, zeros)
pl.pallas_call(
    add,
    grid=(4,),
    in_specs=[own, one],
    out_specs=one,
    out_shape=zeros,
    input_output_aliases={1: 0},
    compiler_params=plgpu.CompilerParams(dimension_semantics=["sequential"]),
)(x, zeros)

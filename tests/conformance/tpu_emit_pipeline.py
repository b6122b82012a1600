"""Pipelines inside kernels: slots, index maps, grids within grids, and what the body sees of a slot."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

# A pipeline wants to know the chip.
CHIP = jax.sharding.AbstractMesh((), (), abstract_device=jax.sharding.AbstractDevice("TPU v6e", 1, "tpu"))
MODES = {
    "plain": True,
    "on wait": pltpu.InterpretParams(),
    "eager": pltpu.InterpretParams(dma_execution_mode="eager"),
}
HBM = pl.BlockSpec(memory_space=pl.ANY)
F32 = jnp.float32


def call(kernel, *args, shape=(64, 64), mode="plain", **options):
    with jax.sharding.use_abstract_mesh(CHIP):
        return pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct(shape, F32),
            in_specs=[HBM] * len(args),
            out_specs=HBM,
            interpret=MODES[mode],
            **options,
        )(*args)


def ramp(*shape):
    size = 1
    for extent in shape:
        size *= extent
    return jnp.arange(size, dtype=F32).reshape(shape)


X, Y = ramp(64, 64) % 7, ramp(64, 64) % 5


# A product, summed up in scratch.
def product(x_hbm, y_hbm, o_hbm, acc):
    def body(x_ref, y_ref, o_ref, acc):
        k = pl.program_id(2)

        @pl.when(k == 0)
        def _():
            acc[...] = jnp.zeros_like(acc)

        acc[...] += x_ref[...] @ y_ref[...]

        @pl.when(k == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = acc[...]

    pltpu.emit_pipeline(
        body,
        grid=(4, 2, 2),
        in_specs=[
            pl.BlockSpec((16, 32), lambda i, j, k: (i, k)),
            pl.BlockSpec((32, 32), lambda i, j, k: (k, j)),
        ],
        out_specs=[pl.BlockSpec((16, 32), lambda i, j, k: (i, j))],
    )(x_hbm, y_hbm, o_hbm, scratches=(acc,))


for mode in MODES:
    out = call(product, X, Y, mode=mode, scratch_shapes=[pltpu.VMEM((16, 32), F32)])
    print(mode, bool((out == X @ Y).all()), out[-1, :4])


# Any number of slots, and fetching ahead as far as they go.
def doubled(buffered):
    def kernel(x_hbm, o_hbm):
        def body(x_ref, o_ref):
            o_ref[...] = x_ref[...] * 2 + pl.program_id(0).astype(F32)

        pltpu.emit_pipeline(
            body,
            grid=(8,),
            in_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0), pipeline_mode=buffered)],
            out_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0))],
        )(x_hbm, o_hbm)

    return kernel


for buffered in (pl.Buffered(1), pl.Buffered(2), pl.Buffered(3), pl.Buffered(4), pl.Buffered(3, use_lookahead=True)):
    for mode in MODES:
        print(buffered.buffer_count, buffered.use_lookahead, mode, call(doubled(buffered), X, mode=mode)[::8, 1])


# Whole Refs, squeezed dimensions, blocks that come back, and one spec instead of a list.
def mixed(x_hbm, bias_hbm, o_hbm):
    def body(x_ref, bias_ref, o_ref):
        o_ref[...] = x_ref[...] + bias_ref[...] * (1 + pl.program_id(0))

    pltpu.emit_pipeline(
        body,
        grid=(2, 4),
        in_specs=(
            pl.BlockSpec((None, 8, 128), lambda i, j: (i, j // 2, 0)),
            pl.BlockSpec((8, 128), lambda i, j: (0, 0)),
        ),
        out_specs=pl.BlockSpec((pl.Squeezed(), 8, 128), lambda i, j: (i, j, 0)),
    )(x_hbm, bias_hbm, o_hbm)


for mode in MODES:
    print(mode, call(mixed, ramp(2, 16, 128), ramp(8, 128), shape=(2, 32, 128), mode=mode)[:, ::8, 1])


# What a slot still holds: sums that begin with what is there.
def stale(x_hbm, o_hbm):
    def body(x_ref, o_ref):
        old = o_ref[...]
        o_ref[...] = jnp.where(jnp.isnan(old), 0, old) + x_ref[...]

    pltpu.emit_pipeline(
        body,
        grid=(8,),
        in_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0))],
        out_specs=[pl.BlockSpec((8, 64), lambda i: (i // 2, 0))],
    )(x_hbm, o_hbm)


for mode in MODES:
    print(mode, call(stale, X, shape=(32, 64), mode=mode)[::8, 3])


# Inside a launch with a grid of its own, and a loop; the body uses what is around it.
def inside(x_hbm, o_hbm, total):
    outer = pl.program_id(0)

    def body(x_ref, o_ref):
        inner = pl.program_id(0)
        o_ref[...] = x_ref[...] + 100 * outer.astype(F32) + 10 * inner.astype(F32)
        total[0] += 1

    @pl.when(outer == 0)
    def _():
        total[0] = 0

    pltpu.emit_pipeline(
        body,
        grid=(pl.num_programs(0) + 2,),
        in_specs=[pl.BlockSpec((8, 64), lambda i: (outer * 4 + i, 0))],
        out_specs=[pl.BlockSpec((8, 64), lambda i: (outer * 4 + i, 0))],
    )(x_hbm, o_hbm)
    pl.debug_print("{}", total[0])


for mode in ("plain", "on wait"):
    out = call(inside, X * 0, mode=mode, grid=(2,), scratch_shapes=[pltpu.SMEM((1,), jnp.int32)])
    print(mode, out[::8, 0])


# A pipeline within a pipeline: the inner one reads the outer one's slots in place.
def nested(x_hbm, o_hbm):
    def outer(x_ref, o_ref):
        def inner(a_ref, b_ref):
            b_ref[...] = a_ref[...] + pl.program_id(0).astype(F32)

        pltpu.emit_pipeline(
            inner,
            grid=(2,),
            in_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0))],
            out_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0))],
        )(x_ref, o_ref)

    pltpu.emit_pipeline(
        outer,
        grid=(4,),
        in_specs=[pl.BlockSpec((16, 64), lambda i: (i, 0))],
        out_specs=[pl.BlockSpec((16, 64), lambda i: (3 - i, 0))],
    )(x_hbm, o_hbm)


for mode in MODES:
    print(mode, call(nested, X, mode=mode)[::8, 1])


# Extents that are not known before, and blocks in another order than their steps.
def dynamic(count_ref, x_hbm, zeros_hbm, o_hbm):
    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] + pl.num_programs(0).astype(F32)

    n = count_ref[0]
    pltpu.emit_pipeline(
        body,
        grid=(n, 2),
        in_specs=[pl.BlockSpec((8, 32), lambda i, j: (n - 1 - i, j))],
        out_specs=[pl.BlockSpec((8, 32), lambda i, j: (i, 1 - j))],
    )(x_hbm, o_hbm)


for mode in MODES:
    with jax.sharding.use_abstract_mesh(CHIP):
        out = pl.pallas_call(
            dynamic,
            out_shape=jax.ShapeDtypeStruct((64, 64), F32),
            in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), HBM, HBM],
            out_specs=HBM,
            interpret=MODES[mode],
            input_output_aliases={2: 0},
        )(jnp.array([3], jnp.int32), ramp(64, 64), jnp.zeros((64, 64), F32))
    print(mode, out[::8, 0], out[::8, 33])


# Copies that wait for nobody: for looking for mistakes.
def plainly(x_hbm, o_hbm):
    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] - 1

    pltpu.emit_pipeline(
        body,
        grid=(8,),
        in_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0))],
        out_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0))],
        no_pipelining=True,
        trace_scopes=False,
    )(x_hbm, o_hbm)


for mode in MODES:
    print(mode, call(plainly, X, mode=mode)[::8, 2])


# The work of two programs, divided along a parallel axis.
def divided(extent):
    def kernel(x_hbm, o_hbm):
        def body(x_ref, o_ref):
            o_ref[...] = x_ref[...] + 1000 * pl.program_id(0).astype(F32)

        pltpu.emit_pipeline(
            body,
            grid=(extent,),
            in_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0))],
            out_specs=[pl.BlockSpec((8, 64), lambda i: (i, 0))],
            core_axis=0,
            dimension_semantics=(pltpu.PARALLEL,),
        )(x_hbm, o_hbm)

    return kernel


for extent in (8, 7):
    out = call(divided(extent), ramp(8 * extent, 64), shape=(8 * extent, 64), grid=(2,))
    print(extent, out[::8, 0])


# What is refused.
for grid, options in [((0,), {}), ((2, -1), {}), ((2,), {"core_axis": 0, "core_axis_name": "c"})]:
    try:
        emitted = pltpu.emit_pipeline(lambda x, o: None, grid=grid, in_specs=[HBM], out_specs=[HBM], **options)
        call(lambda x, o: emitted(x, o), X)
    except ValueError as error:
        print(error)

"""Pipelines with BufferedRefs of the program's own, and with blocks whose length the index map computes."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

CHIP = jax.sharding.AbstractMesh((), (), abstract_device=jax.sharding.AbstractDevice("TPU v6e", 1, "tpu"))
MODES = {
    "on wait": pltpu.InterpretParams(uninitialized_memory="zero"),
    "eager": pltpu.InterpretParams(dma_execution_mode="eager", uninitialized_memory="zero"),
}
HBM = pl.BlockSpec(memory_space=pl.ANY)
F32 = jnp.float32
X = jnp.arange(64 * 8, dtype=F32).reshape(64, 8)


def call(kernel, *args, shape=(64, 8), mode="on wait", **options):
    with jax.sharding.use_abstract_mesh(CHIP):
        return pl.pallas_call(
            kernel,
            out_shape=jax.ShapeDtypeStruct(shape, F32),
            in_specs=[HBM] * len(args),
            out_specs=HBM,
            interpret=MODES[mode],
            **options,
        )(*args)


def rows(size, **options):
    return pl.BlockSpec((size, 8), lambda i: (i, 0), **options)


# Slots that two pipelines share.
def shared(x_hbm, o_hbm):
    spec = rows(8)
    more = rows(8, pipeline_mode=pl.Buffered(3))

    def add(x_ref, o_ref, n):
        o_ref[...] = x_ref[...] + n + pl.program_id(0) * pl.num_programs(0)

    def run(allocations):
        for n in (1, 100):
            part = pl.ds(0, 32) if n == 1 else pl.ds(32, 32)
            pltpu.emit_pipeline(functools.partial(add, n=n), grid=(4,), in_specs=[more], out_specs=[spec])(
                x_hbm.at[part], o_hbm.at[part], allocations=allocations
            )

    pl.run_scoped(run, [pltpu.BufferedRef.input(more, F32, 3), pltpu.BufferedRef.output(spec, F32)])


for mode in MODES:
    print(mode, call(shared, X, mode=mode)[::9, 0])


# What a BufferedRef is.
def described(x_hbm, o_hbm):
    spec = rows(8)
    brefs = [
        pltpu.BufferedRef.input(spec, F32),
        pltpu.BufferedRef.output(spec, F32, buffer_count=1),
        pltpu.BufferedRef.input_output(spec, jnp.int8),
        pltpu.BufferedRef.input(rows(8, memory_space=pltpu.VMEM), F32, source_memory_space=pltpu.VMEM),
        pltpu.BufferedRef.input(pl.BlockSpec((None, 8), lambda i: (i, 0)), F32, buffer_count=4),
    ]
    for bref in brefs:
        print(bref.is_input, bref.is_output, bref.is_input_output, bref.is_buffered, bref.has_allocated_buffer, bref.block_shape)
        print(bref.buffer_type, bref.use_lookahead, bref.is_trivial_windowing, len(jax.tree.leaves(bref)))
        print(None if bref.window_ref is None else bref.window_ref.shape)
    print([field.name for field in dataclasses.fields(pltpu.BufferedRef)])
    print(brefs[0].spec is spec, issubclass(pltpu.BufferedRef, pltpu.BufferedRefBase))
    for wrong in (dict(buffer_count=0), dict(buffer_count=3)):
        try:
            print(pltpu.BufferedRef.output(spec, F32, **wrong).is_buffered)
        except Exception as e:
            print(type(e).__name__, e)
    pltpu.sync_copy(x_hbm, o_hbm)


call(described, X)


# A class of its own: rows in an order that a table gives.
@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True, kw_only=True)
class Gathered(pltpu.BufferedRef):
    size: int = dataclasses.field(metadata=dict(static=True))

    @classmethod
    def create(cls, *args, size, **kwargs):
        plain = pltpu.BufferedRef.create(*args, **kwargs)
        fields = {field.name: getattr(plain, field.name) for field in dataclasses.fields(pltpu.BufferedRef)}
        return cls(size=size, **fields)

    def copy_in(self, src_ref, grid_indices):
        table, ref = src_ref
        slot = self.current_copy_in_slot
        for i in range(self.size):
            row = table[grid_indices[0] * self.size + i]
            window = self.window_ref.at[slot, pl.ds(i, 1)]
            pltpu.make_async_copy(ref.at[pl.ds(row, 1)], window, self.sem_recvs.at[slot]).start()

    def wait_in(self, src_ref, grid_indices):
        slot = self.current_wait_in_slot
        window = self.window_ref.at[slot]
        pltpu.make_async_copy(window, window, self.sem_recvs.at[slot]).wait()


def gathered(table, x_hbm, o_hbm):
    spec = rows(4)

    @pl.with_scoped(
        Gathered.input(spec, F32, buffer_count=2, size=4), pltpu.BufferedRef.output(spec, F32), pltpu.VMEM((8,), F32)
    )
    def run(scale, inputs, outputs, scratch):
        def body(x_ref, o_ref, scratch):
            scratch[...] = x_ref[0] * scale
            o_ref[...] = x_ref[...] + scratch[...]

        pltpu.emit_pipeline(body, grid=(4,), in_specs=[inputs.spec], out_specs=[outputs.spec])(
            (table, x_hbm), o_hbm, allocations=(inputs, outputs), scratches=(scratch,)
        )

    run(2.0)


table = jnp.array([5, 1, 63, 2, 7, 7, 7, 0, 9, 8, 40, 41, 3, 2, 1, 0], jnp.int32)
for mode in MODES:
    with jax.sharding.use_abstract_mesh(CHIP):
        out = pl.pallas_call(
            gathered,
            out_shape=jax.ShapeDtypeStruct((16, 8), F32),
            grid_spec=pltpu.PrefetchScalarGridSpec(
                num_scalar_prefetch=1, grid=(), in_specs=[HBM], out_specs=HBM
            ),
            interpret=MODES[mode],
        )(table, X)
    print(mode, out[:, 0])


# Sums in place: the blocks of the output come in, too.
def summed(x_hbm, o_hbm):
    spec = pl.BlockSpec((8, 8), lambda i, k: (i * 4 + k, 0))
    out = pl.BlockSpec((8, 8), lambda i, k: (i, 0))

    def body(x_ref, o_ref):
        o_ref[...] += x_ref[...]

    pltpu.sync_copy(x_hbm.at[pl.ds(0, 16)], o_hbm)
    allocations = (pltpu.BufferedRef.input(spec, F32), pltpu.BufferedRef.input_output(out, F32, buffer_count=1))
    pl.run_scoped(
        lambda allocations: pltpu.emit_pipeline(body, grid=(2, 4), in_specs=[spec], out_specs=[out])(
            x_hbm, o_hbm, allocations=allocations
        ),
        allocations,
    )


for mode in MODES:
    print(mode, call(summed, X, shape=(16, 8), mode=mode)[::5, 1])


# Blocks of computed length: groups of rows, one behind the other.
SIZES = jnp.array([3, 8, 0, 6, 5], jnp.int32)


def grouped(sizes, x_hbm, o_hbm):
    def start_of(i):
        start = jnp.int32(0)
        for j in range(5):
            start += jnp.where(j < i, sizes[j], 0)
        return start

    def index_map(i):
        return pl.ds(start_of(i), sizes[i]), 0

    spec = pl.BlockSpec((pl.BoundedSlice(8), 8), index_map)

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1000.0 * pl.program_id(0)

    pltpu.emit_pipeline(body, grid=(5,), in_specs=[spec], out_specs=[spec])(x_hbm, o_hbm)


for mode in MODES:
    with jax.sharding.use_abstract_mesh(CHIP):
        out = pl.pallas_call(
            grouped,
            out_shape=jax.ShapeDtypeStruct((32, 8), F32),
            grid_spec=pltpu.PrefetchScalarGridSpec(
                num_scalar_prefetch=1, grid=(), in_specs=[HBM], out_specs=HBM
            ),
            interpret=MODES[mode],
        )(SIZES, X)
    print(mode, out[:22, 0])


# A grid whose extent is computed, also to nothing, with blocks fetched ahead as far as there are slots.
def ahead(count, x_hbm, o_hbm):
    index_map = lambda i: (i // 2, 0)
    spec = pl.BlockSpec((4, 8), index_map, pipeline_mode=pl.Buffered(3, use_lookahead=True))
    out = pl.BlockSpec((4, 8), lambda i: (i, 0))

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] + pl.num_programs(0)

    allocations = (
        pltpu.BufferedRef.input(spec, F32, 3, grid_rank=1, use_lookahead=True),
        pltpu.BufferedRef.output(out, F32),
    )
    for i in range(2):
        pl.run_scoped(
            lambda allocations: pltpu.emit_pipeline(body, grid=(count[i],), in_specs=[spec], out_specs=[out])(
                x_hbm, o_hbm, allocations=allocations
            ),
            allocations,
        )


for mode in MODES:
    with jax.sharding.use_abstract_mesh(CHIP):
        out = pl.pallas_call(
            ahead,
            out_shape=jax.ShapeDtypeStruct((32, 8), F32),
            grid_spec=pltpu.PrefetchScalarGridSpec(
                num_scalar_prefetch=1, grid=(), in_specs=[HBM], out_specs=HBM
            ),
            interpret=MODES[mode],
        )(jnp.array([6, 0], jnp.int32), X)
    print(mode, out[:, 0])


# Allocations that the pipeline's twin makes; without fetching ahead; blocks that are near enough.
def made(x_hbm, o_hbm):
    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2

    pipeline, allocate = pltpu.emit_pipeline_with_allocations(
        body, grid=(4,), in_specs=[rows(8)], out_specs=[rows(8)]
    )
    pl.run_scoped(lambda a: pipeline(x_hbm.at[pl.ds(0, 32)], o_hbm.at[pl.ds(0, 32)], allocations=a), allocate(x_hbm, o_hbm))

    def near(buffer, brefs):
        pltpu.sync_copy(x_hbm.at[pl.ds(32, 32)], buffer)
        for no_pipelining in (False, True):
            pltpu.emit_pipeline(
                body, grid=(4,), in_specs=[rows(8)], out_specs=[rows(8)], no_pipelining=no_pipelining
            )(buffer, o_hbm.at[pl.ds(32, 32)], allocations=brefs)

    near_input = pltpu.BufferedRef.input(rows(8), F32, source_memory_space=pltpu.VMEM)
    pl.run_scoped(near, pltpu.VMEM((32, 8), F32), (near_input, pltpu.BufferedRef.output(rows(8), F32)))


try:
    for mode in MODES:
        print(mode, call(made, X, mode=mode)[::9, 0])
except Exception as e:
    print(type(e).__name__, str(e)[:200])

"""Pipelines inside of Mosaic GPU kernels: blocks are copied to and from slots of shared memory while others are computed
with. They are staged as the loops, copies and waits that they are, in JAX's order: who waits for whom is what is looked
for in such kernels, and the ops for it are there anyway.
"""
import enum
import functools
import itertools
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu import core, primitives, staging
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


class PipelinePipeline(enum.IntEnum):
    START = 0
    STEADY = 1
    STOP = 2


def _option(spec, name, otherwise):
    value = getattr(spec, name, otherwise)
    return otherwise if value is None else value


def _in_smem(spec):
    return spec.memory_space in (None, plgpu.SMEM)


def _slots(spec, count, ref):
    transforms = _option(spec, "transforms", ())
    return plgpu.SMEM((count, *_block_shape(spec, ref.shape)), ref.dtype, transforms=transforms)


def _size(dim):
    if isinstance(dim, int):
        return dim
    if isinstance(dim, (pl.Blocked, pl.Element)):
        return dim.block_size
    raise NotImplementedError(f"Unsupported block size type: {type(dim)}")


def _is_squeezed(dim):
    return dim is None or isinstance(dim, pl.Squeezed)


def _block_shape(spec, shape):
    if spec.block_shape is None:
        return tuple(shape)
    return tuple(_size(dim) for dim in spec.block_shape if not _is_squeezed(dim))


def _checked(specs):
    for spec in specs:
        if spec.pipeline_mode is not None:
            raise NotImplementedError("pl.BlockSpec with pipeline_mode= is not supported")
    return tuple(specs)


def _is_invariant(spec, axes):
    return spec.index_map is None or not staging.depends(spec.index_map, axes)


def _advance(indices, grid):
    """The indices of the next step; behind the last one they begin again."""
    following = []
    carry = True
    for index, extent in reversed(list(zip(indices, grid))):
        moved = lax.select(carry, index + 1, index)
        carry = moved == extent
        following.insert(0, lax.select(carry, jnp.asarray(0, dtype=index.dtype), moved))
    return tuple(following)


def _changed(before, after):
    same = [old == new for old, new in zip(before, after)]
    return lax.bitwise_not(functools.reduce(lax.bitwise_and, same))


class _Operand:
    """One Ref of a pipeline: in main memory, and its slots."""

    def __init__(self, spec, invariant, gmem, smem):
        self.spec = spec
        self.invariant = invariant
        self.gmem = gmem
        self.smem = smem

    def slot(self, number):
        return self.gmem if self.smem is None else self.smem.at[number]

    def block(self, indices):
        if self.spec.index_map is None:
            return tuple(pl.ds(0, extent) for extent in self.gmem.shape)
        parts = []
        for index, dim in zip(self.spec.index_map(*indices), self.spec.block_shape):
            if _is_squeezed(dim):
                parts.append(index)
            elif isinstance(dim, pl.Element):
                if dim.padding != (0, 0):
                    raise NotImplementedError("Element dim with padding not supported.")
                parts.append(pl.ds(index, dim.block_size))
            else:
                parts.append(pl.ds(index * _size(dim), _size(dim)))
        return tuple(parts)

    def copy_in(self, slot, indices, barrier):
        if self.smem is not None:
            primitives.copy_gmem_to_smem(
                self.gmem.at[self.block(indices)],
                self.smem.at[slot],
                barrier,
                collective_axes=_option(self.spec, "collective_axes", ()) or None,
            )

    def copy_out(self, slot, indices, predicate=None):
        if self.smem is not None:
            primitives.copy_smem_to_gmem(
                self.smem.at[slot], self.gmem.at[self.block(indices)], predicate, commit_group=False
            )


def _first_indices(grid):
    return (jnp.asarray(0, dtype=jnp.int32),) * len(grid)


def _nothing_stored(operands):
    """What the outputs' blocks were before the first step: none that there is."""
    return [None if o.invariant else (jnp.array(-1),) * len(o.spec.block_shape) for o in operands]


def emit_pipeline(body, *, grid, in_specs=(), out_specs=(), max_concurrent_steps=1, init_carry=None):
    if any(extent <= 0 for extent in grid if isinstance(extent, int)):
        raise ValueError(f"All elements in the grid must be strictly positive, but got {grid=}")
    in_specs, out_specs = _checked(in_specs), _checked(out_specs)
    if any(_option(spec, "collective_axes", ()) for spec in in_specs):
        raise NotImplementedError("BlockSpecs with collective_axes are not supported in emit_pipeline")
    if any(_option(spec, "collective_axes", ()) for spec in out_specs):
        raise ValueError("Output BlockSpecs cannot have collective_axes")
    delays = sorted({_option(spec, "delay_release", 0) for spec in in_specs} or {0})
    if max_concurrent_steps <= delays[0]:
        raise ValueError(
            "max_concurrent_steps must be greater than all delay_release values, but"
            f" {max_concurrent_steps=} and delay_release_levels={delays}."
        )
    steps = math.prod(grid)
    is_dynamic = not isinstance(steps, int)
    slots = max_concurrent_steps if is_dynamic else min(max_concurrent_steps, steps)
    axes, extents = len(grid), grid
    grid = tuple(jnp.asarray(extent, dtype=jnp.int32) for extent in grid)

    def pipeline(*gmem_refs):
        staging.note_pipeline(extents, (*in_specs, *out_specs), gmem_refs)
        memory = [
            _slots(spec, slots, ref) if _in_smem(spec) else None
            for spec, ref in zip(itertools.chain(in_specs, out_specs), gmem_refs)
        ]
        arrivals = sum(map(_in_smem, in_specs))
        barriers = core.Barrier(num_arrivals=arrivals, num_barriers=slots) if arrivals else None
        return pl.run_scoped(functools.partial(run, gmem_refs), memory, barriers)

    def run(gmem_refs, smem_refs, barriers):
        operands = [
            _Operand(spec, _is_invariant(spec, axes), gmem, smem)
            for spec, gmem, smem in zip(itertools.chain(in_specs, out_specs), gmem_refs, smem_refs)
        ]
        inputs, outputs = operands[: len(in_specs)], operands[len(in_specs) :]
        copied = [output for output in outputs if output.smem is not None]
        copies_in_loop = any(not output.invariant for output in copied)
        copies_at_end = any(output.invariant for output in copied)

        def fetch(step, indices):
            for operand in inputs:
                operand.copy_in(step, indices, None if barriers is None else barriers.at[step])
            return _advance(indices, grid)

        first = _first_indices(grid)
        ahead = lax.min(slots, steps) if is_dynamic else slots
        lax.fori_loop(0, ahead, fetch, first, unroll=not is_dynamic)

        def step_of(step, carry):
            slot = lax.rem(step, slots)
            indices, fetched, stored, state = carry
            if barriers is not None:
                primitives.barrier_wait(barriers.at[slot])
            if copies_in_loop:
                primitives.wait_smem_to_gmem(slots - 1, wait_read_only=True)
            refs = [operand.slot(slot) for operand in operands]
            state = body(indices, *refs, *(() if init_carry is None else (state,)))
            if copies_in_loop:
                primitives.commit_smem()
            now_stored = list(stored)
            for number, output in enumerate(outputs):
                if not output.invariant:
                    now_stored[number] = output.spec.index_map(*indices)
                    moved = _changed(stored[number], now_stored[number])
                    output.copy_out(slot, indices, lax.bitwise_or(moved, step == steps - 1))
            if copies_in_loop:
                primitives.commit_smem_to_gmem_group()
            for delay, next_indices in zip(delays, fetched):
                next_step = step + (slots - delay)
                next_slot = lax.rem(next_step, slots)

                def refill(delay=delay, next_indices=next_indices, next_slot=next_slot):
                    for operand in inputs:
                        if _option(operand.spec, "delay_release", 0) == delay:
                            barrier = None if barriers is None else barriers.at[next_slot]
                            operand.copy_in(next_slot, next_indices, barrier)

                lax.cond(lax.bitwise_and(step >= delay, next_step < steps), refill, lambda: None)
            fetched = [_advance(next_indices, grid) for next_indices in fetched]
            return _advance(indices, grid), fetched, now_stored, None if init_carry is None else state

        fetched = []
        for delay in delays:
            indices = first
            for _ in range(slots - delay):
                indices = _advance(indices, grid)
            fetched.append(indices)
        start = (first, fetched, _nothing_stored(outputs), init_carry)
        last, _, _, state = lax.fori_loop(0, steps, step_of, start)
        if copies_at_end:
            if not copies_in_loop:
                primitives.commit_smem()
            for output in outputs:
                if output.invariant:
                    output.copy_out(lax.rem(steps - 1, slots), last)
            primitives.commit_smem_to_gmem_group()
        if copied:
            primitives.wait_smem_to_gmem(0)
        return None if init_carry is None else state

    return pipeline


def _as_tuple(specs):
    return tuple(specs) if isinstance(specs, (list, tuple)) else (specs,)


def _is_operand(value):
    return isinstance(value, _Operand)


def emit_pipeline_warp_specialized(
    body,
    *,
    grid,
    memory_registers,
    in_specs=(),
    out_specs=(),
    max_concurrent_steps=2,
    wg_axis,
    num_compute_wgs,
    pipeline_state=None,
    manual_consumed_barriers=False,
    compute_context=None,
    memory_thread_idx=None,
):
    in_specs, out_specs = _as_tuple(in_specs), _as_tuple(out_specs)
    flat_in, in_tree = jax.tree.flatten(in_specs)
    flat_out, out_tree = jax.tree.flatten(out_specs)
    flat_in, flat_out = _checked(flat_in), _checked(flat_out)
    shared_axes = []
    for spec in flat_in:
        axes = _option(spec, "collective_axes", ())
        if len(axes) > 1:
            raise ValueError(f"Only a single collective axis supported in input BlockSpecs, but got {axes}")
        shared_axes += [axis for axis in axes if axis not in shared_axes]
    if any(_option(spec, "collective_axes", ()) for spec in flat_out):
        raise ValueError("Output BlockSpecs cannot have collective_axes")
    delays = {_option(spec, "delay_release", 0) for spec in flat_in}
    if len(delays) > 1:
        raise NotImplementedError(f"All inputs must have the same delay_release, but got {sorted(delays)}")
    delay = max(delays, default=0)
    if max_concurrent_steps <= delay:
        raise ValueError(
            "max_concurrent_steps must be greater than delay_release, but"
            f" {max_concurrent_steps=}, delay_release={delay}"
        )
    if memory_thread_idx is not None and memory_thread_idx != num_compute_wgs:
        raise NotImplementedError("Memory thread must be the last thread.")
    if any(_is_invariant(spec, len(grid)) for spec in flat_in):
        raise NotImplementedError("Only inputs with a dependency on the grid are supported.")
    steps = math.prod(grid)
    is_dynamic = not isinstance(steps, int)
    slots = max_concurrent_steps if is_dynamic else min(max_concurrent_steps, steps)
    invariant = [_is_invariant(spec, len(grid)) for spec in (*flat_in, *flat_out)]

    def split(gmem_refs):
        ins, outs = gmem_refs[: len(in_specs)], gmem_refs[len(in_specs) :]
        flat_ins, ins_tree = jax.tree.flatten(tuple(ins))
        flat_outs, outs_tree = jax.tree.flatten(tuple(outs))
        if in_tree != ins_tree:
            raise ValueError(
                f"Input specs and input gmem refs must have the same pytree structure. {in_tree} != {ins_tree}"
            )
        if out_tree != outs_tree:
            raise ValueError(
                f"Output specs and output gmem refs must have the same pytree structure. {out_tree} != {outs_tree}"
            )
        return flat_ins, flat_outs

    def get_allocations(*gmem_refs):
        flat_ins, flat_outs = split(gmem_refs)
        memory = [
            _slots(spec, 1 if fixed else slots, ref)
            for spec, fixed, ref in zip((*flat_in, *flat_out), invariant, (*flat_ins, *flat_outs))
        ]

        def consumed():
            count = {"num_arrivals": num_compute_wgs, "num_barriers": slots}
            if shared_axes:
                return core.ClusterBarrier(collective_axes=tuple(shared_axes), **count)
            return core.Barrier(**count)

        return dict(
            flat_in_smem_refs=memory[: len(flat_in)],
            flat_out_smem_refs=memory[len(flat_in) :],
            in_smem_barrier_ref=core.Barrier(num_arrivals=len(flat_in), num_barriers=slots),
            flat_consumed_barrier_refs=[consumed() for _ in (flat_in if manual_consumed_barriers else (None,))],
        )

    def pipeline(*gmem_refs, allocations=None):
        flat_ins, flat_outs = split(gmem_refs)
        staging.note_pipeline(grid, (*flat_in, *flat_out), (*flat_ins, *flat_outs))
        if allocations is not None:
            run(flat_ins, flat_outs, **allocations)
            return None
        if pipeline_state is not None:
            raise ValueError("Pipeline state should not be set when using automatic allocation.")
        allocated = functools.partial(run, flat_ins, flat_outs)
        return pl.run_scoped(allocated, collective_axes=wg_axis, **get_allocations(*gmem_refs))

    pipeline.get_allocations = get_allocations

    def run(
        flat_ins, flat_outs, *, flat_in_smem_refs, flat_out_smem_refs, in_smem_barrier_ref, flat_consumed_barrier_refs
    ):
        filled, consumed = in_smem_barrier_ref, flat_consumed_barrier_refs
        operands = [
            _Operand(spec, fixed, gmem, smem)
            for spec, fixed, gmem, smem in zip(
                (*flat_in, *flat_out), invariant, (*flat_ins, *flat_outs), (*flat_in_smem_refs, *flat_out_smem_refs)
            )
        ]
        inputs, outputs = operands[: len(flat_in)], operands[len(flat_in) :]
        first = _first_indices(grid)

        def compute():
            registers = min(256.0, (512 - memory_registers) / num_compute_wgs)
            primitives.set_max_registers(int((registers // 8) * 8), action="increase")
            copied = [output for output in outputs if _in_smem(output.spec)]
            if copied and num_compute_wgs > 1:
                raise NotImplementedError("SMEM outputs are not supported with multiple compute warpgroups")
            copies_in_loop = any(not output.invariant for output in copied)
            copies_at_end = any(output.invariant for output in copied)

            def step_of(step, carry):
                indices, stored, state = carry
                slot = lax.rem(step, slots)
                done = lax.rem(step - delay, slots)
                primitives.barrier_wait(filled.at[slot])
                if copies_in_loop:
                    primitives.wait_smem_to_gmem(slots - 1, wait_read_only=True)
                trees = (*jax.tree.unflatten(in_tree, inputs), *jax.tree.unflatten(out_tree, outputs))
                args = list(
                    jax.tree.map(lambda o: o.slot(0 if o.invariant else slot), tuple(trees), is_leaf=_is_operand)
                )
                if manual_consumed_barriers:
                    args += jax.tree.unflatten(in_tree, [barrier.at[done] for barrier in consumed])
                if compute_context is not None:
                    args.append(state)
                state = body(indices, *args)
                if not manual_consumed_barriers:
                    [barrier] = consumed
                    if delay > 0:
                        arrive = lambda: primitives.barrier_arrive(barrier.at[done])
                        lax.cond(step < delay, lambda: None, arrive)
                    else:
                        primitives.barrier_arrive(barrier.at[done])
                if copies_in_loop:
                    primitives.commit_smem()
                now_stored = list(stored)
                for number, output in enumerate(outputs):
                    if not output.invariant:
                        now_stored[number] = output.spec.index_map(*indices)
                        output.copy_out(slot, indices, _changed(stored[number], now_stored[number]))
                primitives.commit_smem_to_gmem_group()
                return _advance(indices, grid), now_stored, state

            last = None

            def loop(state):
                nonlocal last
                if last is not None:
                    raise ValueError("Cannot call pipeline more than once in `compute_context`")
                start = (first, _nothing_stored(outputs), state)
                last, _, state = lax.fori_loop(0, steps, step_of, start)
                return state

            if compute_context is None:
                loop(None)
            else:
                compute_context(loop)
                if last is None:
                    raise ValueError("Pipeline was not called in `compute_context`")
            if copies_at_end:
                if not copies_in_loop:
                    primitives.commit_smem()
                for output in outputs:
                    if output.invariant:
                        output.copy_out(0, last)
                primitives.commit_smem_to_gmem_group()
            if copied:
                primitives.wait_smem_to_gmem(0)

        def fill(slot, indices, waits):
            for number, operand in enumerate(inputs):
                if waits and (manual_consumed_barriers or number == 0):
                    primitives.barrier_wait(consumed[number].at[slot])
                operand.copy_in(slot, indices, filled.at[slot])
            return _advance(indices, grid)

        def bring():
            primitives.set_max_registers(memory_registers, action="decrease")
            ahead = lax.min(slots, steps) if is_dynamic else slots
            begun = ahead
            if pipeline_state is not None:
                if is_dynamic:
                    raise NotImplementedError("A pipeline of pipelines is not supported with dynamic grids")
                if steps % max_concurrent_steps:
                    raise NotImplementedError(
                        "A pipeline of pipelines is only allowed when the number of steps (product of grid, here"
                        f" {steps}) is divisible by {max_concurrent_steps=}"
                    )
                if delay:
                    raise NotImplementedError("A pipeline of pipelines is not supported with delay_release")
                is_start = pipeline_state == PipelinePipeline.START
                begun = (ahead if is_start else 0) if isinstance(is_start, bool) else jnp.where(is_start, ahead, 0)
            indices = lax.fori_loop(
                0, begun, lambda step, indices: fill(step, indices, False), first, unroll=not is_dynamic
            )
            lax.fori_loop(
                0, steps - begun, lambda step, indices: fill(lax.rem(step, slots), indices, True), indices
            )

            # What the last steps have consumed is waited for, so that the barriers end in a known phase.
            @pl.when(pipeline_state is None or pipeline_state == PipelinePipeline.STOP)
            def _():
                @pl.loop(steps - ahead, steps - delay, unroll=not is_dynamic)
                def _(step):
                    for barrier in consumed:
                        primitives.barrier_wait(barrier.at[lax.rem(step, slots)])

        lax.cond(lax.axis_index(wg_axis) != num_compute_wgs, compute, bring)

    return pipeline

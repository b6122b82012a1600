"""Pipelines that cannot be one op of the kernel: those whose BufferedRefs the program brings along, since a class of its own
may copy as it likes, and those with blocks of computed length. They are staged as a loop of copies, waits and the body, in
the order that JAX has: fetch ahead, wait for what the step needs, run the body, copy out, wait for what left before.
"""
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas import grids
from jax._src.pallas.mosaic.buffered_ref import BufferedRef, BufferedRefBase
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def _both(one, other):
    """`one & other`, decided while tracing where it can be."""
    if isinstance(one, bool):
        return other if one else False
    if isinstance(other, bool):
        return one if other else False
    return one & other


def _either(one, other):
    if isinstance(one, bool):
        return True if one else other
    if isinstance(other, bool):
        return True if other else one
    return one | other


def _differ(xs, ys):
    """Whether two results of an index map differ."""
    differs = False
    for x, y in zip(xs, ys, strict=True):
        for one, other in zip(_numbers_of(x), _numbers_of(y), strict=True):
            differs = _either(differs, one != other)
    return differs


def _numbers_of(index):
    return [index.start, index.size] if isinstance(index, pl.Slice) else jax.tree.leaves(index)


class _Steps:
    """The steps of a grid, in order; behind the last it goes round."""

    def __init__(self, grid, offsets):
        self.grid = grid
        self.offsets = offsets
        self.count = math.prod(grid)

    def ids(self, step, wraps=True):
        """Grid indices of a step, without the offsets of the core."""
        ids = []
        for axis in reversed(range(len(self.grid))):
            extent = self.grid[axis]
            if isinstance(extent, int) and extent == 1 and (wraps or axis > 0):
                ids.append(0)
            elif axis == 0 and not wraps:
                ids.append(step)
            else:
                ids.append(lax.rem(step, extent) if not isinstance(step, int) else step % extent)
                step = lax.div(step, extent) if not isinstance(step, int) else step // extent
        return tuple(reversed(ids))

    def number(self, ids):
        number = 0
        for index, extent in zip(ids, self.grid):
            number = number * extent + index
        return number

    def at(self, step):
        """Grid indices as index maps and hooks take them."""
        # Steps before the first are the last ones.
        return self.shifted(self.ids(step + self.count if not isinstance(step, int) else step % self.count))

    def shifted(self, ids):
        return tuple(index + offset for index, offset in zip(ids, self.offsets, strict=True))


class _Step:
    """What happens to one BufferedRef in a step."""

    def __init__(self, steps, number):
        self.steps = steps
        self.number = number
        self.is_first = number == 0
        self.is_last = number == steps.count - 1
        self.indices = steps.at(number)

    def moves(self, bref, first, second):
        """Whether the block changes between two steps, counted from this one."""
        if not bref.is_buffered or bref.is_trivial_windowing:
            return False
        if bref.has_indirect:
            return True
        of = lambda ahead: bref.compute_index(*self.steps.at(self.number + ahead))
        return _differ(of(first), of(second))

    def prefetch(self, bref, ref, ahead):
        """Before the loop: the block of the step that is `ahead`, while there are slots."""
        fits = bref.is_input and bref.is_buffered and not bref.is_trivial_windowing
        if not fits or ahead + 1 >= bref.buffer_count:
            return bref
        if ahead > 0 and bref.use_lookahead:
            return _look_ahead(self.steps, bref, ref, most=1)
        needed = True if ahead == 0 else self.moves(bref, ahead - 1, ahead)
        indices = self.steps.at(self.number + ahead)
        if bref.use_lookahead:
            indices = self.steps.shifted(bref.next_fetch_indices)
        pl.when(needed)(lambda: bref.copy_in(ref, indices))
        return bref.advance_copy_in_slot(needed)

    def copy_in(self, bref, ref):
        if bref.is_trivial_windowing or not bref.is_input:
            return bref
        if bref.use_lookahead:
            return _look_ahead(self.steps, bref, ref)
        if not bref.is_buffered:
            return bref
        slots = bref.buffer_count
        in_time = self.number < self.steps.count - slots + 1
        if slots < 2:
            # There is no slot to fetch ahead to, so that the first block has not been fetched.
            needed = _either(_both(self.moves(bref, -1, 0), in_time), self.is_first)
        else:
            needed = _both(self.moves(bref, slots - 2, slots - 1), in_time)
        pl.when(needed)(lambda: bref.copy_in(ref, self.steps.at(self.number + slots - 1)))
        return bref.advance_copy_in_slot(needed)

    def wait_in(self, bref, ref):
        if not bref.is_trivial_windowing and bref.is_input:
            needed = _either(self.moves(bref, -1, 0), self.is_first)
            pl.when(needed)(lambda: bref.wait_in(ref, self.indices))
        return bref

    def copy_out(self, bref, ref):
        if bref.is_trivial_windowing or not bref.is_output:
            return bref
        needed = _either(self.moves(bref, 0, 1), self.is_last)
        pl.when(needed)(lambda: bref.copy_out(ref, self.indices))
        return bref.advance_copy_out_slot(needed)

    def wait_out(self, bref, ref):
        if bref.is_trivial_windowing or not bref.is_output:
            return bref
        needed = _both(self.moves(bref, -1, 0), jnp.logical_not(self.is_first))
        pl.when(needed)(lambda: bref.wait_out(ref, self.steps.at(self.number - 1)))
        return bref.advance_wait_out_slot(needed)

    def advance(self, bref, ref):
        if not bref.is_input:
            return bref
        return bref.advance_wait_in_slot(_either(self.moves(bref, 0, 1), self.is_last))

    def finish(self, bref, ref):
        if bref.is_output and not bref.is_trivial_windowing:
            bref.wait_out(ref, self.indices)
        return bref


def _look_ahead(steps, bref, ref, most=None):
    """Fetches blocks as far ahead as there are slots."""
    limit = bref.cumulative_wait_in + bref.buffer_count
    if most is not None:
        limit = jnp.minimum(limit, bref.cumulative_copy_in + most)

    def goes_on(carry):
        step, fetched = carry
        return (fetched < limit) & (step + 1 < steps.count)

    def body(carry):
        step, fetched = carry
        here, there = steps.at(step), steps.at(step + 1)
        moves = _differ(bref.compute_index(*here), bref.compute_index(*there))
        pl.when(moves)(lambda: bref.with_slot_index(copy_in_slot=fetched).copy_in(ref, there))
        return step + 1, fetched + jnp.asarray(moves).astype(jnp.uint32)

    first = jnp.asarray(steps.number(bref.next_fetch_indices), jnp.int32)
    step, fetched = lax.while_loop(goes_on, body, (first, bref.cumulative_copy_in))
    ids = tuple(jnp.asarray(index, jnp.int32) for index in steps.ids(step, wraps=False))
    return bref.with_next_fetch(ids).with_slot_index(copy_in_slot=fetched)


def sync_copy(src, dst, indices):
    """Copies the block of these grid indices between a Ref and the slot of a BufferedRef, and waits."""
    inwards = isinstance(dst, BufferedRef)
    if inwards == isinstance(src, BufferedRef):
        raise ValueError("Only one of src or dst can be a BufferedRef." if inwards else "One of src or dst must be a BufferedRef.")
    bref, ref = (dst, src) if inwards else (src, dst)
    window = bref.current_ref
    if not bref.is_trivial_windowing:
        block = bref.get_dma_slice(ref, indices)
        ref, window = ref.at[block], window.at[bref._to_window_slice(block)]
    pltpu.sync_copy(*((ref, window) if inwards else (window, ref)))


def _is_bref(x):
    return isinstance(x, BufferedRefBase)


class _Carried:
    """The BufferedRefs of a pipeline between steps: counts are carried by the loop, Refs stay what they are."""

    def __init__(self, brefs):
        self.leaves, self.tree = jax.tree.flatten(brefs)
        self.is_ref = [isinstance(leaf, jax.Ref) for leaf in self.leaves]

    def numbers(self, brefs):
        leaves, tree = jax.tree.flatten(brefs)
        if tree != self.tree:
            raise ValueError(f"a step of a pipeline must leave its BufferedRefs alike, got {tree} for {self.tree}")
        return tuple(leaf for leaf, is_ref in zip(leaves, self.is_ref) if not is_ref)

    def brefs(self, numbers):
        numbers = iter(numbers)
        leaves = [leaf if is_ref else next(numbers) for leaf, is_ref in zip(self.leaves, self.is_ref)]
        return jax.tree.unflatten(self.tree, leaves)


def run(*, refs, in_specs, out_specs, grid, allocations, **options):
    """Runs a pipeline on Refs with these BufferedRefs, one for each Ref or group of Refs, or with some of its own."""
    options |= dict(refs=refs, specs=(in_specs, out_specs), grid=grid)
    if allocations is None:
        allocations = make_allocations(*refs, in_specs=in_specs, out_specs=out_specs, grid=grid)
        pl.run_scoped(lambda allocations: _run(allocations, **options), allocations)
    else:
        _run(tuple(allocations) if isinstance(allocations, list) else allocations, **options)


def _run(allocations, *, body, grid, offsets, specs, refs, scratches, prologue, synchronous, explicit_indices):
    brefs, tree = jax.tree.flatten(allocations, is_leaf=_is_bref)
    sources = tree.flatten_up_to(refs)
    steps = _Steps(grid, offsets)

    def each(act):
        def apply(brefs, *more):
            return [act(bref, ref, *more) for bref, ref in zip(brefs, sources, strict=True)]

        return apply

    def run_body(indices, brefs):
        if prologue is not None:
            prologue()
        windows = jax.tree.unflatten(tree, [bref.current_ref for bref in brefs])
        first = (indices,) if explicit_indices else ()
        body(*first, *windows, *scratches)

    def within(indices, act):
        return act() if explicit_indices else grids.within(indices, grid, act)

    def step_ahead(number, numbers):
        step = _Step(steps, number)

        def act():
            brefs = carried.brefs(numbers)
            brefs = each(lambda bref, ref: bref.bind_existing_ref(ref, step.indices))(brefs)
            brefs = each(step.copy_in)(brefs)
            brefs = each(step.wait_in)(brefs)
            run_body(step.indices, brefs)
            brefs = each(step.copy_out)(brefs)
            brefs = each(step.wait_out)(brefs)
            brefs = each(step.advance)(brefs)
            return carried.numbers(each(lambda bref, ref: bref.unbind_refs())(brefs))

        return within(step.indices, act)

    def step_in_sync(number, numbers):
        indices = steps.at(number)

        def act():
            brefs = carried.brefs(numbers)
            brefs = each(lambda bref, ref: bref.bind_existing_ref(ref, indices))(brefs)
            each(lambda bref, ref: bref.is_input and bref.is_buffered and sync_copy(ref, bref, indices))(brefs)
            run_body(indices, brefs)
            each(lambda bref, ref: bref.is_output and bref.is_buffered and sync_copy(bref, ref, indices))(brefs)
            return carried.numbers(each(lambda bref, ref: bref.unbind_refs())(brefs))

        return within(indices, act)

    brefs = [bref.initialize_slots() for bref in brefs]
    if synchronous:
        carried = _Carried(brefs)
        lax.fori_loop(0, steps.count, step_in_sync, carried.numbers(brefs))
        return

    modes = [spec.pipeline_mode for spec in jax.tree.leaves(specs) if spec is not None]
    stages = max([2, *(mode.buffer_count for mode in modes if mode is not None)])
    is_whole = lambda bref: bref.is_trivial_windowing and bref.window_ref is not None

    def all_steps(brefs):
        nonlocal carried
        first = _Step(steps, 0)
        each(lambda bref, ref: bref.is_input and is_whole(bref) and sync_copy(ref, bref, first.indices))(brefs)

        def prefetch(brefs=brefs):
            # All fetches for one step come before those for the next.
            for ahead in range(stages - 1):
                brefs = each(first.prefetch)(brefs, ahead)
            return brefs

        brefs = within(first.indices, prefetch)
        carried = _Carried(brefs)
        brefs = carried.brefs(lax.fori_loop(0, steps.count, step_ahead, carried.numbers(brefs)))
        last = _Step(steps, steps.count - 1)
        within(last.indices, lambda: each(last.finish)(brefs))
        each(lambda bref, ref: bref.is_output and is_whole(bref) and sync_copy(bref, ref, first.indices))(brefs)

    carried = None
    # A grid whose extents are computed may have no steps.
    pl.when(steps.count > 0)(lambda: all_steps(brefs))


def make_allocations(*refs, in_specs=(), out_specs=(), tiling=None, grid=()):
    """BufferedRefs for a pipeline over these Refs."""
    in_specs, out_specs = _as_tuple(in_specs), _as_tuple(out_specs)

    def make(create, is_output):
        def one(spec, ref):
            mode = spec.pipeline_mode
            if is_output and mode is not None and mode.use_lookahead:
                raise ValueError("Output buffering does not support lookahead.")
            is_whole = grids.is_whole(spec, grid, ref)
            count = mode.buffer_count if mode is not None else 1 if is_whole else 2
            more = {} if is_output else dict(
                grid_rank=len(grid), use_lookahead=mode is not None and mode.use_lookahead
            )
            return create(
                spec,
                jax.ShapeDtypeStruct(ref.shape, ref.dtype),
                buffer_count=count,
                source_memory_space=pl.ANY if ref.memory_space is None else ref.memory_space,
                tiling=tiling,
                is_trivial_windowing=is_whole,
                **more,
            )

        return one

    count = len(in_specs)
    inputs = jax.tree.map(make(BufferedRef.input, False), in_specs, tuple(refs[:count]))
    outputs = jax.tree.map(make(BufferedRef.output, True), out_specs, tuple(refs[count:]))
    return (*inputs, *outputs)


def _as_tuple(specs):
    return tuple(specs) if isinstance(specs, (tuple, list)) else (specs,)


def emit_pipeline_with_allocations(body, *, grid, in_specs=(), out_specs=()):
    def allocate(*refs):
        return make_allocations(*refs, in_specs=in_specs, out_specs=out_specs, grid=grid)

    return pltpu.emit_pipeline(body, grid=grid, in_specs=in_specs, out_specs=out_specs), allocate

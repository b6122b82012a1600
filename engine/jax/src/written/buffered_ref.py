"""`pltpu.BufferedRef`: the slots that a pipeline copies the blocks of one Ref to, with the semaphores of the copies.

Programs make them to keep slots between pipelines, and derive from them to copy in their own way. A frozen dataclass and
a pytree: what is known while tracing is metadata, Refs and counts are leaves.
"""
import dataclasses

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

_MODULE = "jax._src.pallas.mosaic.pipeline"


BufferType = pltpu.BufferType


def _extent(dim):
    """Elements of a block along a dimension; None where the dimension is squeezed out."""
    if dim is None or isinstance(dim, pl.Squeezed):
        return None
    return getattr(dim, "block_size", dim)


def _block_extents(spec):
    if spec.block_shape is None:
        raise ValueError("Block shape must be specified.")
    return tuple(extent for extent in map(_extent, spec.block_shape) if extent is not None)


def _cut(start, size, extent, is_tiled):
    """`pl.ds(start, size)`, shorter where it would leave the array along a dimension whose blocks may be cut."""
    if not is_tiled:
        return pl.ds(start, size)
    return pl.ds(start, jnp.where(start + size > extent, extent - start, size))


def _part(index, dim, extent, is_tiled):
    """The part of a dimension that a block index stands for."""
    if dim is None or isinstance(dim, (pl.Squeezed, pl.Indirect)):
        return index
    size = _extent(dim)
    if isinstance(dim, pl.BoundedSlice):
        if not isinstance(index, pl.Slice):
            raise ValueError("Must return a ds from the index_map for a BoundedSlice dimension.")
        return _cut(index.start, index.size, extent, is_tiled)
    if isinstance(dim, pl.Element):
        return _cut(index, size, extent, is_tiled)
    if extent % size == 0:
        return pl.ds(index * size, size)
    if not is_tiled:
        raise ValueError("If tiling is None, block_size must divide dim_size.")
    return _cut(index * size, size, extent, is_tiled)


class BufferedRefBase:
    """What pipelines ask of a BufferedRef."""

    __module__ = _MODULE

    @property
    def spec(self):
        raise NotImplementedError()

    @property
    def buffer_type(self):
        raise NotImplementedError()

    @property
    def is_buffered(self):
        return False

    @property
    def is_input(self):
        return self.buffer_type.is_input

    @property
    def is_output(self):
        return self.buffer_type.is_output

    @property
    def is_input_output(self):
        return self.buffer_type == BufferType.INPUT_OUTPUT

    @property
    def is_manual(self):
        return self.buffer_type == BufferType.MANUAL

    @property
    def is_trivial_windowing(self):
        return False

    @property
    def has_allocated_buffer(self):
        raise NotImplementedError()

    @property
    def block_shape(self):
        return self.spec.block_shape

    @property
    def has_indirect(self):
        return self.block_shape is not None and any(isinstance(dim, pl.Indirect) for dim in self.block_shape)

    @property
    def compute_index(self):
        if self.spec.index_map is None:
            return lambda *ids: (0,) * len(self.block_shape)
        return self.spec.index_map

    def initialize_slots(self):
        raise NotImplementedError()

    def advance_copy_in_slot(self, predicate=True):
        raise NotImplementedError()

    def advance_wait_in_slot(self, predicate=True):
        raise NotImplementedError()

    def advance_copy_out_slot(self, predicate=True):
        raise NotImplementedError()

    def advance_wait_out_slot(self, predicate=True):
        raise NotImplementedError()

    def with_spec(self, spec):
        raise NotImplementedError()

    def bind_existing_ref(self, window_ref, indices):
        return self

    def unbind_refs(self):
        return self

    def get_dma_slice(self, src_ty, grid_indices):
        """The part of the Ref that is the block of these grid indices, cut where the array ends."""
        shape = getattr(src_ty, "shape", None)
        if shape is None:
            raise ValueError(f"Type {src_ty} does not have a shape")
        if not shape:
            return ()
        indices = self.compute_index(*grid_indices)
        first_tiled = len(shape) - 2
        parts = zip(indices, self.block_shape, shape, strict=True)
        return tuple(_part(*part, axis >= first_tiled) for axis, part in enumerate(parts))

    def _to_window_slice(self, dma_slice):
        kept = zip(dma_slice, self.block_shape)
        return tuple(pl.ds(0, part.size) for part, dim in kept if _extent(dim) is not None)


def _static(**options):
    return dataclasses.field(metadata=dict(static=True), **options)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class BufferedRef(BufferedRefBase):
    """Slots of blocks in VMEM, with semaphores for the copies."""

    __module__ = _MODULE

    _spec: object = _static()
    _buffer_type: object = _static()
    _buffer_count: int = _static()
    _grid_rank: object = _static()
    window_ref: object
    copy_in_slot: object
    wait_in_slot: object
    copy_out_slot: object
    wait_out_slot: object
    next_fetch: object
    sem_recvs: object
    sem_sends: object
    tiling: object = _static()
    is_trivial_windowing: bool = _static(default=False)
    has_allocated_buffer: bool = _static(default=False)

    def __post_init__(self):
        if self.is_buffered and self.buffer_count < 1:
            raise ValueError(f"buffer_count must be at least 1, got {self.buffer_count}")
        if self.is_output and self.is_buffered and self.buffer_count > 2:
            raise NotImplementedError("Buffer count >2 not supported for output buffered refs.")

    @property
    def spec(self):
        return self._spec

    @property
    def buffer_type(self):
        return self._buffer_type

    @property
    def is_buffered(self):
        return self._buffer_count > 0

    @property
    def use_lookahead(self):
        return self._grid_rank is not None

    @property
    def buffer_count(self):
        if not self.is_buffered:
            raise ValueError("buffer count is undefined")
        return self._buffer_count

    @classmethod
    def create(
        cls,
        spec,
        dtype_or_type,
        buffer_type,
        buffer_count,
        grid_rank=None,
        use_lookahead=False,
        source_memory_space=pl.ANY,
        tiling=None,
        is_trivial_windowing=False,
    ):
        space = pltpu.VMEM if spec.memory_space is None else spec.memory_space
        if space == pl.ANY:
            space = pltpu.HBM
        if space not in (pltpu.SMEM, pltpu.VMEM, pltpu.HBM):
            raise ValueError(f"Unsupported buffer memory space: {space}")
        values = dict.fromkeys(
            ["copy_in_slot", "wait_in_slot", "copy_out_slot", "wait_out_slot", "next_fetch", "sem_recvs", "sem_sends"]
        )
        values |= dict(_spec=spec, _buffer_type=buffer_type, is_trivial_windowing=is_trivial_windowing)
        if source_memory_space == space:
            # The blocks are where they are wanted.
            return cls(_buffer_count=0, _grid_rank=None, window_ref=None, tiling=None, **values)
        if use_lookahead and grid_rank is None:
            raise ValueError("grid_rank must be specified when use_lookahead is True.")
        dtype = getattr(dtype_or_type, "dtype", dtype_or_type)
        if is_trivial_windowing:
            shape = dtype_or_type.shape
        else:
            block = _block_extents(spec)
            flat = len(block) == 1 and tiling is not pltpu.Tiling.SPARSE_CORE
            shape = (buffer_count * block[0],) if flat else (buffer_count, *block)
            semaphores = pltpu.SemaphoreType.DMA((buffer_count,))
            if buffer_type is not BufferType.OUTPUT:
                values["sem_recvs"] = semaphores
            if buffer_type is not BufferType.INPUT:
                values["sem_sends"] = semaphores
        return cls(
            _buffer_count=buffer_count,
            _grid_rank=grid_rank if use_lookahead else None,
            window_ref=space(shape, dtype),
            tiling=tiling,
            has_allocated_buffer=True,
            **values,
        )

    @classmethod
    def input(cls, spec, dtype_or_type, buffer_count=2, **kwargs):
        return cls.create(spec, dtype_or_type, BufferType.INPUT, buffer_count, **kwargs)

    @classmethod
    def output(cls, spec, dtype_or_type, buffer_count=2, **kwargs):
        return cls.create(spec, dtype_or_type, BufferType.OUTPUT, buffer_count, **kwargs)

    @classmethod
    def input_output(cls, spec, dtype_or_type, buffer_count=2, **kwargs):
        return cls.create(spec, dtype_or_type, BufferType.INPUT_OUTPUT, buffer_count, **kwargs)

    def with_spec(self, spec):
        return dataclasses.replace(self, _spec=spec)

    def with_next_fetch(self, next_fetch=None):
        return dataclasses.replace(self, next_fetch=next_fetch)

    def with_slot_index(self, copy_in_slot=None, copy_out_slot=None, wait_in_slot=None, wait_out_slot=None):
        given = dict(
            copy_in_slot=copy_in_slot,
            copy_out_slot=copy_out_slot,
            wait_in_slot=wait_in_slot,
            wait_out_slot=wait_out_slot,
        )
        return dataclasses.replace(self, **{name: slot for name, slot in given.items() if slot is not None})

    def _slot(self, count):
        return lax.rem(count, jnp.uint32(self.buffer_count))

    @property
    def cumulative_copy_in(self):
        assert self.copy_in_slot is not None
        return self.copy_in_slot

    @property
    def cumulative_wait_in(self):
        assert self.wait_in_slot is not None
        return self.wait_in_slot

    @property
    def cumulative_copy_out(self):
        assert self.copy_out_slot is not None
        return self.copy_out_slot

    @property
    def cumulative_wait_out(self):
        assert self.wait_out_slot is not None
        return self.wait_out_slot

    @property
    def current_copy_in_slot(self):
        return self._slot(self.cumulative_copy_in)

    @property
    def current_wait_in_slot(self):
        return self._slot(self.cumulative_wait_in)

    @property
    def current_copy_out_slot(self):
        return self._slot(self.cumulative_copy_out)

    @property
    def current_wait_out_slot(self):
        return self._slot(self.cumulative_wait_out)

    @property
    def next_fetch_indices(self):
        if not self.use_lookahead:
            raise ValueError("Can only get fetch indices if using lookahead.")
        assert self.next_fetch is not None
        return self.next_fetch

    @property
    def current_ref(self):
        """The slot that the body works on."""
        assert self.window_ref is not None
        if not self.is_buffered or self.is_trivial_windowing:
            return self.window_ref
        return self._window_ref_at(self.current_copy_out_slot if self.is_output else self.current_wait_in_slot)

    def _is_in_place(self):
        return not self.is_buffered and not self.has_allocated_buffer

    def bind_existing_ref(self, window_ref, indices):
        if not self._is_in_place():
            return self
        if not self.is_trivial_windowing:
            window_ref = window_ref.at[self.compute_slice(indices)]
        return dataclasses.replace(self, window_ref=window_ref)

    def unbind_refs(self):
        return dataclasses.replace(self, window_ref=None) if self._is_in_place() else self

    def compute_slice(self, grid_indices):
        indices = self.compute_index(*grid_indices)
        assert self.block_shape is not None
        slices = []
        for dim, index in zip(self.block_shape, indices, strict=True):
            if isinstance(dim, (pl.Element, pl.BoundedSlice)):
                raise ValueError(f"{type(dim).__name__} block dimensions are not supported.")
            size = _extent(dim)
            slices.append(index if size is None else pl.ds(index * size, size))
        return tuple(slices)

    def initialize_slots(self):
        first_in = jnp.uint32(0) if self.is_input else None
        first_out = jnp.uint32(0) if self.is_output else None
        ids = None if self._grid_rank is None else tuple(jnp.int32(0) for _ in range(self._grid_rank))
        return dataclasses.replace(
            self,
            copy_in_slot=first_in,
            wait_in_slot=first_in,
            copy_out_slot=first_out,
            wait_out_slot=first_out,
            next_fetch=ids,
        )

    def _advanced(self, name, takes_part, predicate):
        if not self.is_buffered or not takes_part:
            return self
        count = getattr(self, name)
        assert count is not None
        return self.with_slot_index(**{name: lax.select(predicate, count + 1, count)})

    def advance_copy_in_slot(self, predicate=True):
        return self._advanced("copy_in_slot", self.is_input, predicate)

    def advance_wait_in_slot(self, predicate=True):
        return self._advanced("wait_in_slot", self.is_input, predicate)

    def advance_copy_out_slot(self, predicate=True):
        return self._advanced("copy_out_slot", self.is_output, predicate)

    def advance_wait_out_slot(self, predicate=True):
        return self._advanced("wait_out_slot", self.is_output, predicate)

    def _window_ref_at(self, slot, window_slice=None):
        assert self.window_ref is not None
        if self.window_ref.ndim > 1:
            return self.window_ref.at[(slot, *(window_slice or ()))]
        # Slots of one dimension lie one behind the other.
        size = self.window_ref.shape[0] // self.buffer_count
        if window_slice is None:
            return self.window_ref.at[pl.ds(slot * size, size)]
        (part,) = window_slice
        return self.window_ref.at[pl.ds(slot * size + part.start, part.size)]

    def _ends(self, ref, grid_indices, slot):
        """The block in the Ref, and the part of a slot that takes it."""
        block = self.get_dma_slice(ref, grid_indices)
        return ref.at[block], self._window_ref_at(slot, self._to_window_slice(block))

    def copy_in(self, src_ref, grid_indices):
        assert self.is_input
        if self.is_buffered:
            slot = self.current_copy_in_slot
            block, window = self._ends(src_ref, grid_indices, slot)
            pltpu.make_async_copy(block, window, self.sem_recvs.at[slot]).start()

    def wait_in(self, src_ref, grid_indices):
        assert self.is_input
        if self.is_buffered:
            slot = self.current_wait_in_slot
            block, window = self._ends(src_ref, grid_indices, slot)
            pltpu.make_async_copy(block, window, self.sem_recvs.at[slot]).wait()

    def copy_out(self, dst_ref, grid_indices):
        assert self.is_output
        if self.is_buffered:
            slot = self.current_copy_out_slot
            block, window = self._ends(dst_ref, grid_indices, slot)
            if self.buffer_count == 1:
                # The only slot is written again at once.
                pltpu.sync_copy(window, block)
            else:
                pltpu.make_async_copy(window, block, self.sem_sends.at[slot]).start()

    def wait_out(self, dst_ref, grid_indices):
        assert self.is_output
        if self.is_buffered and self.buffer_count > 1:
            slot = self.current_wait_out_slot
            block, window = self._ends(dst_ref, grid_indices, slot)
            pltpu.make_async_copy(window, block, self.sem_sends.at[slot]).wait()

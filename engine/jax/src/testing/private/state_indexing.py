"""Indices of several dimensions, taken apart and checked."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.util import merge_lists, partition_list
from jax.experimental.pallas import Slice, ds, dslice


def _shape_of(index):
    return tuple(getattr(index, "shape", ()) if not isinstance(index, (int, np.integer)) else ())


def _known(value):
    """The integer, where it is one."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, np.ndarray) and value.shape == ():
        return int(value)
    if isinstance(value, jax.Array) and not isinstance(value, jax.core.Tracer) and value.shape == ():
        return int(value)
    return None


def _is_ref(index):
    return isinstance(index, jax.Ref) or type(index).__name__ in ("TransformedRef", "RefView")


def _to_slice(index, size):
    start, stop, step = index.indices(size)
    if step < 1:
        raise ValueError(f"slice must have a step >= 1 (found: {step})")
    return Slice(start, max((stop - start + step - 1) // step, 0), step)


@dataclasses.dataclass
class NDIndexer:
    """One index for each dimension; integer indices are broadcast against each other."""

    indices: tuple
    shape: tuple
    int_indexer_shape: tuple
    validate: bool = False

    def __post_init__(self):
        if len(self.indices) != len(self.shape):
            raise ValueError(f"`indices` must be the same length as `Ref` shape.: {self}.")
        if not self.validate:
            return
        for index, size in zip(self.indices, self.shape):
            if isinstance(index, Slice):
                self._check_slice(index, size)
            elif not _shape_of(index):
                value = _known(index)
                if value and value >= size:
                    raise ValueError(f"Out of bound indexer: idx={value}, dim={size}.")

    @staticmethod
    def _check_slice(index, size):
        start, count = _known(index.start), _known(index.size)
        if not start:
            return
        if start >= size:
            raise ValueError(f"Out of bound slice: start={start}, dim={size}.")
        if count and start + (count - 1) * index.stride >= size:
            raise ValueError(
                f"Out of bound slice: start={start}, size={count}, stride={index.stride}, dim={size}."
            )

    @property
    def is_dynamic_size(self):
        return any(isinstance(index, Slice) and index.is_dynamic_size for index in self.indices)

    @classmethod
    def from_indices_shape(cls, indices, shape):
        """The indexer of what stands between brackets."""
        indices = indices if isinstance(indices, tuple) else (indices,)
        places = [place for place, index in enumerate(indices) if index is ...]
        if len(places) > 1:
            raise ValueError("Only one ellipsis is supported.")
        if places:
            missing = (slice(None),) * (len(shape) - len(indices) + 1)
            indices = indices[: places[0]] + missing + indices[places[0] + 1 :]
        if len(indices) > len(shape):
            raise ValueError(f"`indices` must not be longer than `shape`: {indices=}, {shape=}")
        indices += (slice(None),) * (len(shape) - len(indices))
        indices = tuple(
            _to_slice(index, size) if isinstance(index, slice) else index for index, size in zip(indices, shape)
        )
        is_slice = [isinstance(index, Slice) for index in indices]
        others, slices = partition_list(is_slice, indices)
        if not others:
            return cls(indices, tuple(shape), (), validate=True)
        refs = [index for index in others if _is_ref(index)]
        if refs:
            if len(refs) > 1:
                raise NotImplementedError("Multiple Ref indexers are not supported")
            if len(refs) != len(others):
                raise NotImplementedError("Ref cannot be mixed with other non-slice indexers")
            return cls(indices, tuple(shape), tuple(refs[0].shape), validate=False)
        try:
            common = np.broadcast_shapes(*map(_shape_of, others))
        except ValueError as error:
            raise ValueError(f"Cannot broadcast shapes for indexing: {list(map(_shape_of, others))}") from error
        others = [jnp.broadcast_to(index, common) for index in others]
        return cls(tuple(merge_lists(is_slice, others, slices)), tuple(shape), common, validate=True)

    @classmethod
    def make_trivial_indexer(cls, shape):
        return cls.from_indices_shape(tuple(slice(0, size) for size in shape), shape)

    def get_indexer_shape(self):
        """The shape of what is indexed."""
        is_int = [not isinstance(index, Slice) for index in self.indices]
        sizes = tuple(index.size for index in self.indices if isinstance(index, Slice))
        places = [place for place, flag in enumerate(is_int) if flag]
        if not places:
            return sizes
        contiguous = places == list(range(places[0], places[-1] + 1))
        before = places[0] if contiguous else 0
        return sizes[:before] + tuple(self.int_indexer_shape) + sizes[before:]

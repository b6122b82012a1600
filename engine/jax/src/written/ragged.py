"""Products in groups: `jax.lax.ragged_dot` and its general form, whose groups are of rows, of terms, or of a batch."""
import dataclasses
import math

import jax.numpy as jnp
from jax import lax


@dataclasses.dataclass(frozen=True)
class RaggedDotDimensionNumbers:
    """Which dimensions a ragged product contracts, which it maps over, and which are in groups."""

    __module__ = "jax._src.lax.lax"

    dot_dimension_numbers: tuple
    lhs_ragged_dimensions: tuple
    rhs_group_dimensions: tuple

    def __init__(self, dot_dimension_numbers, lhs_ragged_dimensions, rhs_group_dimensions):
        numbers = tuple(tuple(map(tuple, pair)) for pair in dot_dimension_numbers)
        object.__setattr__(self, "dot_dimension_numbers", numbers)
        object.__setattr__(self, "lhs_ragged_dimensions", tuple(lhs_ragged_dimensions))
        object.__setattr__(self, "rhs_group_dimensions", tuple(rhs_group_dimensions))


def ragged_dot(lhs, rhs, group_sizes, precision=None, preferred_element_type=None, group_offset=None, out_sharding=None):
    return ragged_dot_general(lhs, rhs, group_sizes, _ROWS, precision, preferred_element_type, group_offset, out_sharding)


def ragged_dot_general(lhs, rhs, group_sizes, ragged_dot_dimension_numbers, precision=None, preferred_element_type=None,
                       group_offset=None, out_sharding=None):
    numbers = ragged_dot_dimension_numbers
    lhs, rhs, group_sizes = jnp.asarray(lhs), jnp.asarray(rhs), jnp.asarray(group_sizes)
    (left_summed, right_summed), (left_batch, right_batch) = numbers.dot_dimension_numbers
    kind, ragged, prefix = _checked(lhs, rhs, group_sizes, numbers)
    terms = [tuple(x.shape[axis] for axis in axes) for x, axes in ((lhs, left_summed), (rhs, right_summed))]
    if terms[0] != terms[1]:
        raise TypeError(f"dot_general requires contracting dimensions to have the same shape, got {terms[0]} and {terms[1]}.")
    if not jnp.issubdtype(group_sizes.dtype, jnp.integer):
        raise TypeError("ragged_dot_general requires that group_sizes.dtype is subtype of np.integer.")
    if group_offset is not None:
        raise NotImplementedError("Unimplemented group_offset support.")
    if kind == "batch":
        summed, batch = (left_summed, right_summed), (left_batch, right_batch)
    elif kind == "rows":
        # What belongs to other groups is zero in a group's part, so that a sum over groups picks each row's own.
        lhs = _apart(lhs, ragged, group_sizes, prefix)
        summed = (_after(left_summed) + (0,), tuple(right_summed) + tuple(numbers.rhs_group_dimensions))
        batch = (_after(left_batch), right_batch)
    else:
        other = right_summed[left_summed.index(ragged)]
        others = tuple(right_batch) + tuple(right_summed[: left_summed.index(ragged)])
        lhs, rhs = _apart(lhs, ragged, group_sizes, prefix), _apart(rhs, other, group_sizes, others)
        summed = (_after(left_summed), _after(right_summed))
        batch = ((0,) + _after(left_batch), (0,) + _after(right_batch))
    return lax.dot_general(lhs, rhs, (summed, batch), precision=precision, preferred_element_type=preferred_element_type)


_ROWS = RaggedDotDimensionNumbers((([1], [1]), ([], [])), [0], [0])


def _after(axes):
    """Axes behind one more in front."""
    return tuple(axis + 1 for axis in axes)


def _apart(x, dim, sizes, prefix):
    """An array once for each group, in front, with zeros where other groups are; `prefix`: axes with groups of their own."""
    if sizes.ndim == 1:
        sizes = jnp.broadcast_to(sizes, tuple(x.shape[axis] for axis in prefix) + sizes.shape)
    # Groups in front, then the axes as they stand in the array.
    order = sorted(range(len(prefix)), key=lambda position: prefix[position])
    ends = jnp.transpose(jnp.cumsum(sizes, axis=-1, dtype=sizes.dtype), (len(prefix), *order))
    starts = ends - jnp.transpose(sizes, (len(prefix), *order))
    shape = ends.shape[:1] + tuple(extent if axis in prefix else 1 for axis, extent in enumerate(x.shape))
    position = lax.broadcasted_iota(sizes.dtype, (1,) + x.shape, dim + 1)
    inside = (starts.reshape(shape) <= position) & (position < ends.reshape(shape))
    return jnp.where(inside, x[None], jnp.zeros((), x.dtype))


def _in_range(dim, rank, what, name):
    if dim < 0 or dim >= rank:
        raise TypeError(f"ragged_dot_general requires {what} numbers to be nonnegative and less than the number of axes of "
                        f"the {name} value, got {dim} for {name} of rank {rank}.")


def _checked(lhs, rhs, group_sizes, numbers):
    """What is in groups, along which axis of the left factor, and which of its axes have groups of their own."""
    if len(numbers.lhs_ragged_dimensions) != 1:
        raise TypeError("ragged_dot_general expects exactly one lhs ragged dimension.")
    ragged = numbers.lhs_ragged_dimensions[0]
    _in_range(ragged, lhs.ndim, "lhs ragged dimension", "lhs")
    (summed, right_summed), (batch, right_batch) = numbers.dot_dimension_numbers
    free = tuple(axis for axis in range(lhs.ndim) if axis not in summed and axis not in batch)
    if ragged in free:
        kind, prefix = "rows", batch + free[: free.index(ragged)]
    elif ragged in summed:
        kind, prefix = "terms", batch + summed[: summed.index(ragged)]
    else:
        kind, prefix = "batch", batch[: batch.index(ragged)]
    if group_sizes.ndim == 0:
        raise TypeError("expected rank of group_sizes to be >=1.")
    groups = group_sizes.shape[-1]
    expected = tuple(lhs.shape[axis] for axis in prefix) + (groups,)
    if group_sizes.ndim != 1 and group_sizes.shape != expected:
        raise TypeError(f"expected group_sizes to have shape {expected}, got {group_sizes.shape}.")
    dims = numbers.rhs_group_dimensions
    if kind != "rows":
        if len(dims) != 0:
            raise TypeError("ragged_dot_general requires zero group dimensions in the rhs when lhs ragged dimension is "
                            "contracting or batch.")
        return kind, ragged, prefix
    if len(dims) != 1:
        raise TypeError("ragged_dot_general requires exactly one rhs group dimension when lhs ragged dimension is "
                        "noncontracting.")
    _in_range(dims[0], rhs.ndim, "rhs group dimension", "rhs")
    if dims[0] in right_batch or dims[0] in right_summed:
        raise TypeError("ragged_dot_general requires rhs group dimension numbers to be distinct from contracting and batch "
                        "dimensions.")
    if rhs.shape[dims[0]] != groups:
        raise TypeError(f"expected rhs group dimension size to be {groups}, got {rhs.shape[dims[0]]}.")
    return kind, ragged, prefix

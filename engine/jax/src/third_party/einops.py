"""einops: rearrangements, reductions and repetitions of axes, said by patterns."""

import string as _string

import jax.numpy as _jnp
import numpy as _np

__all__ = ["rearrange", "reduce", "repeat", "einsum", "parse_shape", "EinopsError"]

_ELLIPSIS = "…"
_REDUCTIONS = ("min", "max", "sum", "mean", "prod", "any", "all")


class EinopsError(RuntimeError):
    """A pattern, or a shape that does not fit it."""


class _Anonymous:
    """An axis of a known length without a name."""

    def __init__(self, length):
        self.length = length


def _tokens(side):
    for bracket in "()":
        side = side.replace(bracket, f" {bracket} ")
    return side.replace("...", f" {_ELLIPSIS} ").split()


def _parse(side):
    """The axes of one side, one list for each dimension."""
    if "." in side.replace("...", ""):
        raise EinopsError("Expression may contain dots only inside ellipsis (...)")
    groups, group, seen = [], None, set()
    for token in _tokens(side):
        if token == "(":
            if group is not None:
                raise EinopsError("Axis composition is one-level (brackets inside brackets not allowed)")
            group = []
            continue
        if token == ")":
            if group is None:
                raise EinopsError("Brackets are not balanced")
            groups.append(group)
            group = None
            continue
        if token.isdecimal():
            axis = _Anonymous(int(token))
        elif token == _ELLIPSIS or token.isidentifier() and not token[0] == "_" and not token[-1] == "_":
            if token in seen:
                raise EinopsError(f'Indexing expression contains duplicate dimension "{token}"')
            seen.add(token)
            axis = token
        else:
            raise EinopsError(f"Invalid axis identifier: {token}\nnot a valid python identifier")
        if group is None:
            # A lone 1 is a dimension without axes.
            groups.append([] if isinstance(axis, _Anonymous) and axis.length == 1 else [axis])
        elif not (isinstance(axis, _Anonymous) and axis.length == 1):
            group.append(axis)
    if group is not None:
        raise EinopsError(f'Imbalanced parentheses in expression: "{side}"')
    return groups


def _names(groups):
    return [axis for group in groups for axis in group if not isinstance(axis, _Anonymous)]


def _check_sides(left, right, operation):
    ours, theirs = set(_names(left)), set(_names(right))
    anonymous = [axis for group in left for axis in group if isinstance(axis, _Anonymous)]
    if operation == "rearrange":
        if anonymous or any(isinstance(axis, _Anonymous) for group in right for axis in group):
            raise EinopsError("Non-unitary anonymous axes are not supported in rearrange (exception is length 1)")
        if ours != theirs:
            raise EinopsError(
                f"Identifiers only on one side of expression (should be on both): {ours.symmetric_difference(theirs)}"
            )
    elif operation == "repeat":
        if ours - theirs:
            raise EinopsError(f"Unexpected identifiers on the left side of repeat: {ours - theirs}")
    else:
        if operation in _REDUCTIONS or callable(operation):
            if theirs - ours:
                raise EinopsError(f"Unexpected identifiers on the right side of reduce {operation}: {theirs - ours}")
        else:
            raise EinopsError(f"Unknown reduction {operation}. Expect one of {_REDUCTIONS}.")


def _expand(groups, count):
    """The ellipsis as `count` axes of its own."""
    axes = [f"{_ELLIPSIS}{index}" for index in range(count)]
    expanded = []
    for group in groups:
        if group == [_ELLIPSIS]:
            expanded.extend([axis] for axis in axes)
        else:
            expanded.append([part for axis in group for part in (axes if axis == _ELLIPSIS else [axis])])
    return expanded


def _solve(left, shape, given):
    """The length of every axis on the left, in order."""
    lengths, order = dict(given), []
    for group, dimension in zip(left, shape):
        known, unknown = 1, []
        for axis in group:
            if isinstance(axis, _Anonymous):
                order.append((axis, axis.length))
                known *= axis.length
            elif axis in lengths:
                order.append((axis, None))
                known *= lengths[axis]
            else:
                order.append((axis, None))
                unknown.append(axis)
        if len(unknown) > 1:
            raise EinopsError(f"Could not infer sizes for {set(unknown)}")
        if unknown:
            if dimension % known != 0:
                raise EinopsError(f"Shape mismatch, can't divide axis of length {dimension} in chunks of {known}")
            lengths[unknown[0]] = dimension // known
        elif known != dimension:
            raise EinopsError(f"Shape mismatch, {dimension} != {known}")
    return lengths, [(axis, length if length is not None else lengths[axis]) for axis, length in order]


def _apply(tensor, pattern, operation, given):
    if pattern.count("->") != 1:
        raise EinopsError("Pattern must contain exactly one '->'")
    left, right = (_parse(side) for side in pattern.split("->"))
    if _ELLIPSIS in _names(right) and _ELLIPSIS not in _names(left):
        raise EinopsError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if any(_ELLIPSIS in group and len(group) > 1 for group in left):
        raise EinopsError(f"Ellipsis inside parenthesis in the left side is not allowed: {pattern}")
    _check_sides(left, right, operation)
    for axis in given:
        if not str.isidentifier(axis):
            raise EinopsError(f"Invalid name for an axis: {axis}")
        if axis not in _names(left) and axis not in _names(right):
            raise EinopsError(f"Axis {axis} is not used in transform")
    shape = tuple(tensor.shape)
    rest = len(shape) - len(left)
    if [_ELLIPSIS] in left:
        if rest < -1:
            raise EinopsError(f"Wrong shape: expected >={len(left) - 1} dims. Received {len(shape)}-dim tensor.")
        left, right = _expand(left, rest + 1), _expand(right, rest + 1)
    elif rest != 0:
        raise EinopsError(f"Wrong shape: expected {len(left)} dims. Received {len(shape)}-dim tensor.")
    lengths, order = _solve(left, shape, given)
    if operation != "repeat" and [length for _, length in order] != list(shape) or operation == "repeat":
        tensor = tensor.reshape([length for _, length in order])
    axes = [axis for axis, _ in order]
    wanted = [axis for group in right for axis in group]
    gone = tuple(index for index, axis in enumerate(axes) if axis not in wanted)
    if gone:
        if callable(operation):
            tensor = operation(tensor, gone)
        else:
            if operation == "mean" and not _jnp.issubdtype(tensor.dtype, _jnp.floating):
                raise NotImplementedError("reduce_mean is not available for non-floating tensors")
            tensor = getattr(tensor, operation)(axis=gone)
        axes = [axis for axis in axes if axis in wanted]
    kept = [axis for axis in wanted if axis in axes]
    if kept != axes:
        tensor = tensor.transpose([axes.index(axis) for axis in kept])
    for axis in wanted:
        if axis not in axes and not isinstance(axis, _Anonymous) and axis not in lengths:
            raise EinopsError(f"Specify sizes for new axes in repeat: {[axis]}")
    sizes = [axis.length if isinstance(axis, _Anonymous) else lengths[axis] for axis in wanted]
    if len(kept) != len(wanted):
        tensor = tensor.reshape([size if axis in kept else 1 for axis, size in zip(wanted, sizes)])
        library = _np if isinstance(tensor, _np.ndarray) else _jnp
        tensor = library.broadcast_to(tensor, tuple(sizes))
    final, position = [], 0
    for group in right:
        size = 1
        for length in sizes[position : position + len(group)]:
            size *= length
        position += len(group)
        final.append(size)
    return tensor if tuple(tensor.shape) == tuple(final) else tensor.reshape(final)


def _checked(tensor, pattern, operation, given):
    if isinstance(tensor, (list, tuple)):
        if not tensor:
            raise TypeError("Rearrange/Reduce/Repeat can't be applied to an empty list")
        library = _np if isinstance(tensor[0], _np.ndarray) else _jnp
        tensor = library.stack(tensor)
    try:
        return _apply(tensor, pattern, operation, given)
    except EinopsError as error:
        message = f' Error while processing {operation}-reduction pattern "{pattern}".'
        message += f"\n Input tensor shape: {tuple(tensor.shape)}. "
        message += f"Additional info: {given}."
        raise EinopsError(message + f"\n {error}") from None


def rearrange(tensor, pattern, **axes_lengths):
    """Reorders, splits and merges axes."""
    return _checked(tensor, pattern, "rearrange", axes_lengths)


def reduce(tensor, pattern, reduction, **axes_lengths):
    """Reduces the axes that the right side leaves out."""
    return _checked(tensor, pattern, reduction, axes_lengths)


def repeat(tensor, pattern, **axes_lengths):
    """Repeats along the axes that the left side lacks."""
    return _checked(tensor, pattern, "repeat", axes_lengths)


def parse_shape(x, pattern):
    """The length of each named axis."""
    names = pattern.split()
    if "..." in names:
        at, rest = names.index("..."), len(x.shape) - len(names) + 1
        names[at : at + 1] = ["_"] * rest
    if len(names) != len(x.shape):
        raise RuntimeError(f"Can't parse shape with different number of dimensions: {pattern} {tuple(x.shape)}")
    return {name: length for name, length in zip(names, x.shape) if name != "_" and not name.isdecimal()}


def einsum(*tensors_and_pattern):
    """`einsum` with names of any length for axes."""
    *tensors, pattern = tensors_and_pattern
    if not isinstance(pattern, str):
        raise ValueError("The last argument passed to `einops.einsum` must be a string, representing the einsum pattern.")
    letters = {}

    def letter(axis):
        if axis == "...":
            return axis
        return letters.setdefault(axis, _string.ascii_letters[len(letters)])

    left, right = pattern.split("->")
    sides = [" ".join(side.replace("...", " ... ").split()).split() for side in left.split(",")]
    if len(sides) != len(tensors):
        raise ValueError("Number of tensors does not match the pattern.")
    inputs = ",".join("".join(letter(axis) for axis in side) for side in sides)
    output = "".join(letter(axis) for axis in right.replace("...", " ... ").split())
    library = _np if all(isinstance(tensor, _np.ndarray) for tensor in tensors) else _jnp
    return library.einsum(f"{inputs}->{output}", *tensors)

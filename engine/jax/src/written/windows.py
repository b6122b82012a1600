"""Functions of `jax.lax` that are compositions: joins, folds with a function, windows, convolutions."""
import itertools

import jax
import jax.numpy as jnp
from jax import lax


def broadcast_shapes(*shapes):
    return jnp.broadcast_shapes(*shapes)


def broadcast_to_rank(x, rank):
    x = jnp.asarray(x)
    return x if x.ndim >= rank else lax.expand_dims(x, tuple(range(rank - x.ndim)))


def split(operand, sizes, axis=0):
    operand = jnp.asarray(operand)
    if sum(sizes) != operand.shape[axis]:
        raise ValueError(f"Sum of sizes {sum(sizes)} must be equal to dimension {axis} of the operand shape "
                         f"{list(operand.shape)}")
    ends = list(itertools.accumulate(sizes))
    return [lax.slice_in_dim(operand, end - size, end, axis=axis) for size, end in zip(sizes, ends)]


def tile(operand, reps):
    return jnp.tile(operand, reps)


def dynamic_update_index_in_dim(operand, update, index, axis):
    operand = jnp.asarray(operand)
    update = jnp.asarray(update)
    if update.ndim != operand.ndim:
        update = lax.expand_dims(update, (axis % operand.ndim,))
    return lax.dynamic_update_slice_in_dim(operand, update, index, axis)


def _extreme_k(operand, k, axis, sign):
    operand = jnp.asarray(operand)
    moved = jnp.moveaxis(operand, axis, -1)
    values, indices = lax.top_k(moved if sign > 0 else -moved, k)
    values = values if sign > 0 else -values
    return [jnp.moveaxis(values, -1, axis), jnp.moveaxis(indices, -1, axis)]


def approx_max_k(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1,
                 aggregate_to_topk=True):
    return _extreme_k(operand, k, reduction_dimension, 1)


def approx_min_k(operand, k, reduction_dimension=-1, recall_target=0.95, reduction_input_size_override=-1,
                 aggregate_to_topk=True):
    return _extreme_k(operand, k, reduction_dimension, -1)


def _known(computation, dtype):
    """The reduction of lax that a function is, by its values on numbers; None for others."""
    names = {"add": "reduce_sum", "mul": "reduce_prod", "max": "reduce_max", "min": "reduce_min",
             "maximum": "reduce_max", "minimum": "reduce_min", "bitwise_and": "reduce_and",
             "bitwise_or": "reduce_or", "bitwise_xor": "reduce_xor", "multiply": "reduce_prod",
             "logical_and": "reduce_and", "logical_or": "reduce_or"}
    return names.get(getattr(computation, "__name__", None))


def reduce(operands, init_values, computation, dimensions, out_sharding=None):
    leaves, tree = jax.tree.flatten(operands)
    inits, init_tree = jax.tree.flatten(init_values)
    if tree != init_tree:
        raise ValueError(f"Operands must have the same tree structure as init_values: {tree} vs. {init_tree}")
    if len(leaves) != len(inits):
        raise ValueError(f"Must have same total number of operands as init_values:  {len(leaves)} vs. {len(inits)}")
    leaves = [jnp.asarray(leaf) for leaf in leaves]
    dimensions = tuple(d % leaves[0].ndim for d in dimensions)
    name = _known(computation, leaves[0].dtype) if len(leaves) == 1 else None
    if name is not None:
        result = getattr(lax, name)(leaves[0], dimensions)
        init = jnp.asarray(inits[0], dtype=leaves[0].dtype)
        return jax.tree.unflatten(tree, [computation(jnp.broadcast_to(init, result.shape), result)])
    kept = [d for d in range(leaves[0].ndim) if d not in dimensions]
    shape = tuple(leaves[0].shape[d] for d in kept)
    columns = [lax.transpose(leaf, tuple(kept) + dimensions).reshape(shape + (-1,)) for leaf in leaves]
    state = [jnp.full(shape, init, leaf.dtype) for init, leaf in zip(inits, leaves)]
    for position in range(columns[0].shape[-1]):
        items = [column[..., position] for column in columns]
        result = computation(jax.tree.unflatten(tree, state), jax.tree.unflatten(tree, items))
        state = jax.tree.leaves(result)
    return jax.tree.unflatten(tree, state)


def _dilated(extent, dilation):
    return 0 if extent == 0 else (extent - 1) * dilation + 1


def _pairs(padding, shape, window, strides):
    if not isinstance(padding, str):
        return [tuple(pair) for pair in padding]
    if padding.upper() == "VALID":
        return [(0, 0)] * len(shape)
    if padding.upper() not in ("SAME", "SAME_LOWER"):
        raise RuntimeError("Unrecognized padding type: expected 'VALID' or 'SAME', got " + padding)
    pairs = []
    for extent, size, stride in zip(shape, window, strides):
        total = max((-(-extent // stride) - 1) * stride + size - extent, 0)
        low = total // 2
        pairs.append((low, total - low) if padding.upper() == "SAME" else (total - low, low))
    return pairs


def reduce_window(operand, init_value, computation, window_dimensions, window_strides, padding, base_dilation=None,
                  window_dilation=None):
    operand = jnp.asarray(operand)
    rank = operand.ndim
    window_strides = window_strides or (1,) * rank
    base_dilation = base_dilation or (1,) * rank
    window_dilation = window_dilation or (1,) * rank
    spans = [_dilated(size, by) for size, by in zip(window_dimensions, window_dilation)]
    base = [_dilated(extent, by) for extent, by in zip(operand.shape, base_dilation)]
    pairs = _pairs(padding, base, spans, window_strides)
    init = jnp.asarray(init_value, operand.dtype)
    padded = lax.pad(operand, init, [(low, high, by - 1) for (low, high), by in zip(pairs, base_dilation)])
    counts = [max((extent - span) // stride + 1, 0) for extent, span, stride in zip(padded.shape, spans, window_strides)]
    result = jnp.broadcast_to(init, tuple(counts))
    if 0 in counts:
        return result
    for offset in itertools.product(*(range(size) for size in window_dimensions)):
        starts = [at * by for at, by in zip(offset, window_dilation)]
        limits = [start + (count - 1) * stride + 1 for start, count, stride in zip(starts, counts, window_strides)]
        result = computation(result, lax.slice(padded, starts, limits, window_strides))
    return result


def _layouts(dimension_numbers, rank):
    spatial = "".join(chr(ord("0") + d) for d in range(rank - 2))
    if dimension_numbers is None:
        default = ("NC" + spatial, "OI" + spatial, "NC" + spatial)
        return default
    if isinstance(dimension_numbers[0], str):
        return tuple(dimension_numbers)
    raise NotImplementedError("conv_general_dilated takes dimension_numbers as three strings here, such as "
                              "('NHWC', 'HWIO', 'NHWC')")


def conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None,
                         dimension_numbers=None, feature_group_count=1, batch_group_count=1, precision=None,
                         preferred_element_type=None):
    if batch_group_count != 1:
        raise NotImplementedError("conv_general_dilated with batch_group_count is not provided by the workbench yet")
    rank = lhs.ndim
    left, right, out = _layouts(dimension_numbers, rank)
    space = [letter for letter in left if letter not in "NC"]
    lhs = lax.transpose(lhs, [left.index(letter) for letter in ["N", "C"] + space])
    rhs = lax.transpose(rhs, [right.index(letter) for letter in ["O", "I"] + space])
    count = rank - 2
    lhs_dilation = lhs_dilation or (1,) * count
    rhs_dilation = rhs_dilation or (1,) * count
    if lhs.shape[1] != rhs.shape[1] * feature_group_count:
        raise ValueError(
            "conv_general_dilated lhs feature dimension size divided by feature_group_count must equal the rhs input "
            f"feature dimension size, but {lhs.shape[1]} // {feature_group_count} != {rhs.shape[1]}.")
    if isinstance(padding, str) and any(by != 1 for by in lhs_dilation):
        raise ValueError("String padding is not implemented for transposed convolution using this op. Please either "
                         "exactly specify the required padding or use conv_transpose.")
    spans = [_dilated(size, by) for size, by in zip(rhs.shape[2:], rhs_dilation)]
    base = [_dilated(extent, by) for extent, by in zip(lhs.shape[2:], lhs_dilation)]
    pairs = _pairs(padding, base, spans, window_strides)
    config = [(0, 0, 0), (0, 0, 0)] + [(low, high, by - 1) for (low, high), by in zip(pairs, lhs_dilation)]
    padded = lax.pad(lhs, jnp.zeros((), lhs.dtype), config)
    counts = [max((extent - span) // stride + 1, 0)
              for extent, span, stride in zip(padded.shape[2:], spans, window_strides)]
    patches = []
    for offset in itertools.product(*(range(size) for size in rhs.shape[2:])):
        starts = [0, 0] + [at * by for at, by in zip(offset, rhs_dilation)]
        limits = list(padded.shape[:2]) + [start + (n - 1) * stride + 1
                                           for start, n, stride in zip(starts[2:], counts, window_strides)]
        patches.append(lax.slice(padded, starts, limits, [1, 1] + list(window_strides)))
    # [N, C, window, *space], in groups of channels: every output channel sees the channels of its group.
    stacked = jnp.stack(patches, axis=2)
    groups = feature_group_count
    n, c = stacked.shape[:2]
    stacked = stacked.reshape((n, groups, c // groups) + stacked.shape[2:])
    kernel = rhs.reshape((groups, rhs.shape[0] // groups, rhs.shape[1], -1))
    numbers = (((2, 3), (2, 3)), ((1,), (0,)))
    dtype = preferred_element_type or jnp.result_type(lhs, rhs)
    product = lax.dot_general(stacked, kernel, numbers, precision=precision, preferred_element_type=dtype)
    # [groups, N, *space, O / groups] -> [N, O, *space]
    product = jnp.moveaxis(product, (0, -1), (1, 2)).reshape((n, -1) + tuple(counts))
    order = ["N", "C"] + space
    return lax.transpose(product, [order.index(letter) for letter in out])


def conv(lhs, rhs, window_strides, padding, precision=None, preferred_element_type=None):
    return conv_general_dilated(lhs, rhs, window_strides, padding, precision=precision,
                                preferred_element_type=preferred_element_type)


def conv_with_general_padding(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=None,
                              preferred_element_type=None):
    return conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=precision,
                                preferred_element_type=preferred_element_type)

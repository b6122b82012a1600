"""Functions of `jax.lax` that are other functions under another name or in another order, and questions of shapes."""
import collections
import functools
import typing

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

ConvDimensionNumbers = collections.namedtuple("ConvDimensionNumbers", ["lhs_spec", "rhs_spec", "out_spec"])


class DotAlgorithm(typing.NamedTuple):
    """How a product is computed: what of, in what, and from how many parts."""

    lhs_precision_type: typing.Any
    rhs_precision_type: typing.Any
    accumulation_type: typing.Any
    lhs_component_count: int = 1
    rhs_component_count: int = 1
    num_primitive_operations: int = 1
    allow_imprecise_accumulation: bool = False


PrecisionLike = typing.Union[
    None, str, lax.Precision, tuple[str, str], tuple[lax.Precision, lax.Precision], DotAlgorithm, lax.DotAlgorithmPreset]


def stack(operands, axis=0):
    return jnp.stack([jnp.asarray(operand) for operand in operands], axis)


def unstack(x, axis=0):
    return tuple(jnp.unstack(jnp.asarray(x), axis=axis))


def broadcast_like(arr, like_arr):
    return jnp.broadcast_to(arr, jnp.shape(like_arr))


def index_take(src, idxs, axes):
    indices = jnp.stack([index % src.shape[axis] for index, axis in zip(idxs, axes)], axis=1)
    sizes = [1 if axis in axes else extent for axis, extent in enumerate(src.shape)]
    numbers = lax.GatherDimensionNumbers(
        offset_dims=tuple(range(1, src.ndim - len(axes) + 1)), collapsed_slice_dims=tuple(axes),
        start_index_map=tuple(axes))
    return lax.gather(src, indices, dimension_numbers=numbers, slice_sizes=tuple(sizes))


def shape_as_value(shape):
    return jnp.zeros(0, jnp.int32) if len(shape) == 0 else np.asarray(shape, np.int32)


def stage(x):
    return jnp.asarray(x)


def dce_sink(val, *, prevent_mlir_dce=False):
    return None


def composite(decomposition, name, version=0):
    @functools.wraps(decomposition)
    def wrapped(*args, **kwargs):
        return decomposition(*args, **kwargs)

    return wrapped


def platform_dependent(*args, default=None, **per_platform):
    for name, branch in per_platform.items():
        if not callable(branch):
            raise TypeError(f"lax.platform_dependent: the '{name}' branch must be a callable.")
        if name == "gpu":
            raise ValueError("Use 'cuda' or 'rocm' for lax.platform_dependent.")
    if default is not None and not callable(default):
        raise TypeError("lax.platform_dependent: the 'default' branch must be a callable.")
    names = {"gpu": ("cuda", "rocm")}.get(jax.default_backend(), (jax.default_backend(),))
    for name in names:
        if name in per_platform:
            return per_platform[name](*args)
    if default is None:
        raise NotImplementedError(f"translation rule for primitive 'platform_index' not found for platform {names[0]}")
    return default(*args)


def pswapaxes(x, axis_name, axis, *, axis_index_groups=None):
    return lax.all_to_all(x, axis_name, axis, axis, axis_index_groups=axis_index_groups)


def padtype_to_pads(in_shape, window_shape, window_strides, padding):
    if not isinstance(padding, str):
        raise TypeError(f"Unknown padding type: {padding}.")
    name = padding.upper()
    if name == "VALID":
        return [(0, 0)] * len(in_shape)
    if name not in ("SAME", "SAME_LOWER"):
        raise RuntimeError(
            f"Unrecognized padding type: expected 'VALID', 'SAME', or 'SAME_LOWER', got {padding}.")
    pads = []
    for extent, window, stride in zip(in_shape, window_shape, window_strides):
        total = max((-(-extent // stride) - 1) * stride + window - extent, 0)
        less = total // 2
        pads.append((less, total - less) if name == "SAME" else (total - less, less))
    return pads


def conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers):
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    if len(lhs_shape) != len(rhs_shape):
        raise TypeError(
            f"convolution requires lhs and rhs ndim to be equal, got {len(lhs_shape)} and {len(rhs_shape)}.")
    rank = len(lhs_shape)
    if dimension_numbers is None:
        order = tuple(range(rank))
        return ConvDimensionNumbers(order, order, order)
    for i, spec in enumerate(dimension_numbers):
        if len(spec) != rank:
            raise TypeError(f"convolution dimension_numbers[{i}] must have len equal to the ndim of lhs and rhs, got "
                            f"{len(spec)} for lhs and rhs shapes {lhs_shape} and {rhs_shape}.")
    lhs, rhs, out = dimension_numbers
    # Batch and features first, then the other dimensions in the order in which the kernel names them.
    spatial = [letter for letter in rhs if letter not in "OI"]

    def places(spec, first, second):
        return (spec.index(first), spec.index(second), *(spec.index(letter) for letter in spatial))

    return ConvDimensionNumbers(places(lhs, "N", "C"), places(rhs, "O", "I"), places(out, "N", "C"))


_DEFAULT_NUMBERS = {2: ("NC", "IO", "NC"), 3: ("NHC", "HIO", "NHC"), 4: ("NHWC", "HWIO", "NHWC"),
                    5: ("NHWDC", "HWDIO", "NHWDC")}


def _transposed_padding(window, stride, padding):
    if padding == "SAME":
        total = window + stride - 2
        before = window - 1 if stride > window - 1 else -(-total // 2)
    elif padding == "VALID":
        total = window + stride - 2 + max(window - stride, 0)
        before = window - 1
    else:
        return tuple(window - 1 - pad for pad in padding)
    return before, total - before


def conv_transpose(lhs, rhs, strides, padding, rhs_dilation=None, dimension_numbers=None, transpose_kernel=False,
                   precision=None, preferred_element_type=None, use_consistent_padding=False):
    if dimension_numbers is None:
        if lhs.ndim not in _DEFAULT_NUMBERS:
            raise ValueError("No 4+ dimensional dimension_number defaults.")
        dimension_numbers = _DEFAULT_NUMBERS[lhs.ndim]
    numbers = conv_dimension_numbers(lhs.shape, rhs.shape, dimension_numbers)
    spatial = numbers.rhs_spec[2:]
    dilation = (1,) * (rhs.ndim - 2) if rhs_dilation is None else rhs_dilation
    if use_consistent_padding or padding in ("SAME", "VALID"):
        windows = [(rhs.shape[axis] - 1) * step + 1 for axis, step in zip(spatial, dilation)]
        each = [padding] * len(strides) if isinstance(padding, str) else padding
        padding = tuple(map(_transposed_padding, windows, strides, each))
    if transpose_kernel:
        rhs = jnp.flip(rhs, spatial).swapaxes(*numbers.rhs_spec[:2])
    return lax.conv_general_dilated(
        lhs, rhs, (1,) * (lhs.ndim - 2), padding, strides, dilation, dimension_numbers, precision=precision,
        preferred_element_type=preferred_element_type)

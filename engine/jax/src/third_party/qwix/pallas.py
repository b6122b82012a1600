"""qwix.pallas: kernels that take quantized arrays."""

import math as _math

import jax as _jax
from jax.experimental import pallas as _pl

from qwix._arrays import QArray, dequantize, quantize
from qwix._products import loop_dot as dot
from qwix._products import loop_dot_general as dot_general
from qwix._products import loop_einsum as einsum
from qwix._products import rearranged as _rearranged


def get_current_rule(op_name):
    """The rule for the operation that is being called; there is none outside of providers."""
    return None


def pallas_call(
    kernel,
    out_shape,
    *,
    grid_spec=None,
    grid=(),
    in_specs=_pl.no_block_spec,
    out_specs=_pl.no_block_spec,
    scratch_shapes=(),
    **kwargs,
):
    """`pl.pallas_call`, where arguments may be quantized: specs are those of the numbers that they stand for."""
    if grid_spec is None:
        grid_spec = _pl.GridSpec(grid, in_specs, out_specs, scratch_shapes)

    def launch(*args):
        scalars = getattr(grid_spec, "num_scalar_prefetch", 0)
        arrays = args[scalars:]
        specs = _jax.tree.map(_spec_of, grid_spec.in_specs, arrays)
        flat_specs, tree = _jax.tree.flatten(specs)
        placed = [_placed(spec, array) for spec, array in zip(flat_specs, tree.flatten_up_to(arrays))]
        parts = {name: getattr(grid_spec, name) for name in ("grid", "out_specs", "scratch_shapes")}
        if hasattr(grid_spec, "num_scalar_prefetch"):
            parts["num_scalar_prefetch"] = scalars
        new_specs = type(grid_spec)(in_specs=tree.unflatten([spec for spec, _, _ in placed]), **parts)

        def around(*refs):
            inputs = tree.flatten_up_to(refs[scalars : len(args)])
            inputs = [ref if back is None else back(ref) for ref, (_, _, back) in zip(inputs, placed)]
            kernel(*refs[:scalars], *tree.unflatten(inputs), *refs[len(args) :])

        arrays = tree.unflatten([array for _, array, _ in placed])
        return _pl.pallas_call(around, out_shape, grid_spec=new_specs, **kwargs)(*args[:scalars], *arrays)

    return launch


def _with(spec, block_shape, index_map):
    return _pl.BlockSpec(block_shape, index_map, memory_space=spec.memory_space, pipeline_mode=spec.pipeline_mode)


def _spec_of(spec, array):
    """The specs of a quantized array's numbers and scales."""
    if not isinstance(array, QArray):
        return spec
    assert array.zero_point is None, "Zero point is not supported yet."
    block = []
    for whole, size, tiles in zip(array.shape, spec.block_shape, array.scale.shape):
        if size is None or tiles == 1:
            block.append(size and 1)
            continue
        blocks = whole // size
        assert whole % size == 0 and tiles % blocks == 0, f"v={whole} bv={size} s={tiles}"
        block.append(tiles // blocks)

    def index_map(*ids):
        return tuple(index if tiles > 1 else 0 for index, tiles in zip(spec.index_map(*ids), array.scale.shape))

    return QArray(spec, _with(spec, tuple(block), index_map), None, array.qtype)


def _is_tiled(block, shape):
    """Whether a block is a whole number of a TPU's tiles, or as large as the array, along its last two axes."""
    return (block[-1] % 128 == 0 or block[-1] == shape[-1]) and (block[-2] % 8 == 0 or block[-2] == shape[-2])


def _placed(spec, array):
    """An array as a TPU takes its blocks; how the kernel gets back what it asked for, unless that is the same."""
    block = [1 if size is None else size for size in spec.block_shape]
    fits = _is_tiled(block, array.shape)
    if fits and (block[-1] % 128 == 0 and block[-2] % 8 == 0 or block == sorted(block)):
        return spec, array, None
    order = sorted(range(len(block)), key=lambda axis: block[axis])
    in_order = lambda items: tuple(items[axis] for axis in order)
    if _is_tiled(in_order(block), in_order(array.shape)):
        kept = [axis for axis in order if spec.block_shape[axis] is not None]
        back = sorted(range(len(kept)), key=lambda place: kept[place])
        turned = _with(spec, in_order(spec.block_shape), lambda *ids: in_order(spec.index_map(*ids)))
        return turned, array.transpose(order), lambda ref: _rearranged(ref[...], back)
    # One row for each block: the last two axes are then whole.
    blocks = [extent // size for extent, size in zip(array.shape, block)]
    pieces = array.reshape([part for pair in zip(blocks, block) for part in pair])
    pieces = pieces.transpose([*range(0, 2 * len(block), 2), *range(1, 2 * len(block), 2)])
    pieces = pieces.reshape([*blocks, 1, _math.prod(block)])
    rows = _with(spec, (1,) * len(block) + (1, _math.prod(block)), lambda *ids: (*spec.index_map(*ids), 0, 0))
    shape = [size for size in spec.block_shape if size is not None]
    return rows, pieces, lambda ref: ref[...].reshape(shape)

"""Launches through `block.pallas_call`: Refs that know their block's bounds, masks at the edges, parts of blocks."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu

from tokamax._src.pallas import block


def scale(x_ref, out_ref):
    out_ref.store(x_ref.load(other=1.0) * 2.0)


def masks(x_ref, out_ref):
    plgpu.store(out_ref, jnp.broadcast_to(x_ref.inbounds_mask(), out_ref.shape))


def part(x_ref, rows_ref, out_ref):
    x_ref = x_ref.at[-32:, 1, pl.dslice(100, 16)]
    assert x_ref.bounds == (99, 111)
    rows, _ = x_ref.inbounds_masks
    plgpu.store(rows_ref, rows)
    plgpu.store(out_ref, x_ref.inbounds_mask(bounds_check=(True, True)))


@jax.eval_shape
def launches():
    x = jnp.ones((300, 500))
    spec = pl.BlockSpec((64, 128), lambda i, j: (i, j))
    scaled = block.pallas_call(scale, out_shape=x, grid=(5, 4), in_specs=(spec,), out_specs=spec)(x)
    grid_spec = pl.GridSpec(grid=(5, 4), in_specs=(spec,), out_specs=spec)
    inside = block.pallas_call(masks, out_shape=jax.ShapeDtypeStruct((320, 512), bool), grid_spec=grid_spec)(x)

    y = jnp.ones((99, 3, 111))
    flags = (jax.ShapeDtypeStruct((32, 1), bool), jax.ShapeDtypeStruct((32, 16), bool))
    whole = pl.BlockSpec((128, 3, 128), lambda: (0, 0, 0))
    return scaled, inside, block.pallas_call(part, out_shape=flags, in_specs=(whole,))(y)

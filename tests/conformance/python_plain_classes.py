"""Enumerations and records that JAX's modules have, however they are asked for."""

import dataclasses

import jax
from jax.experimental import pallas as pl
from jax.lax import *

print(Precision.HIGHEST, repr(Precision.DEFAULT), DotAlgorithmPreset.F32_F32_F32)
print(GatherScatterMode.CLIP is jax.lax.GatherScatterMode.CLIP, RoundingMethod.TO_NEAREST_EVEN.value)
numbers = GatherDimensionNumbers(offset_dims=(0,), collapsed_slice_dims=(), start_index_map=(0,))
print(numbers.offset_dims, ScatterDimensionNumbers.__name__)
print(all(name in dir(jax.lax) for name in ("Precision", "RoundingMethod", "ScatterDimensionNumbers")))
print(pl.CostEstimate(flops=1, transcendentals=2, bytes_accessed=3).bytes_accessed, pl.DeviceIdType.MESH.name)
spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
print([field.name for field in dataclasses.fields(spec)][:3], dataclasses.is_dataclass(pl.BlockSpec))
moved = dataclasses.replace(spec, block_shape=(16, 128))
print(moved.block_shape, moved.index_map(3), spec.block_shape)

# A module that is copied by its `__dict__` has all its names, also those that are made when they are asked for first.
# jax: runs
import types
from jax.experimental.pallas import mosaic_gpu

plgpu = types.ModuleType("plgpu")
plgpu.__dict__.update(mosaic_gpu.__dict__)
transforms = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
layout, semantics = plgpu.Layout.WGMMA, plgpu.LoweringSemantics.Lane

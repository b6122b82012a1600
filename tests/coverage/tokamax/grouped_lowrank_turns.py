"""The cosines and sines of DeepSeek's grouped low-rank projection, gathered by position from a table."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.grouped_lowrank_proj import pallas_mosaic_tpu_kernel as projection

mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    positions = jax.ShapeDtypeStruct((256,), jnp.int32)
    cache = jax.ShapeDtypeStruct((4096, 64), jnp.float32)
    jax.eval_shape(functools.partial(projection.gather_cos_sin, inverse=True), positions, cache)

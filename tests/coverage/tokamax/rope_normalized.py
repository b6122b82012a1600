"""Rotary embeddings of DeepSeek that normalise the heads first: tokens with heads, forward and turned back."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.deepseek_rope import pallas_mosaic_tpu_kernel as rope

mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    x = jax.ShapeDtypeStruct((256, 16, 512), jnp.bfloat16)
    positions = jax.ShapeDtypeStruct((256,), jnp.int32)
    cache = jax.ShapeDtypeStruct((4096, 64), jnp.float32)
    jax.eval_shape(rope.qnorm_rope, x, positions, cache)
    jax.eval_shape(functools.partial(rope.qnorm_rope, inverse=True), x, positions, cache)

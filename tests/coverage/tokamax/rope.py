"""Rotary embeddings of DeepSeek: rotated in place, normalised before, quantised after; the projection that turns them back."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.deepseek_rope import pallas_mosaic_tpu_kernel as rope
from tokamax._src.ops.grouped_lowrank_proj import pallas_mosaic_tpu_kernel as projection

TOKENS, HEADS, DIM, ROTARY, GROUPS, RANK = 256, 16, 512, 64, 2, 256


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


x = array(TOKENS, HEADS, DIM)
positions = array(TOKENS, dtype=jnp.int32)
cache = array(4096, ROTARY, dtype=jnp.float32)

weights = array(8 * DIM, GROUPS * RANK, dtype=jnp.float8_e4m3fn)
scales = array(GROUPS * RANK, dtype=jnp.float32)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))

with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(rope.rope, x, positions, cache)
    jax.eval_shape(functools.partial(rope.qnorm_rope, inverse=True), x, positions, cache)
    jax.eval_shape(rope.rope_quant, array(TOKENS, 128), positions, cache)
    back = functools.partial(projection.fused_reverse_rope_wo_a_projection, head_dim=DIM)
    jax.eval_shape(back, x, positions, cache, weights, scales)

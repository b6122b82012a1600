"""DeepSeek's grouped low-rank projection: heads turned back, quantised and multiplied with eight-bit weights."""

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.grouped_lowrank_proj import pallas_mosaic_tpu_kernel as projection

TOKENS, HEADS, DIM, GROUPS, RANK = 256, 16, 512, 2, 256


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


x = array(TOKENS, HEADS, DIM)
weights = array(HEADS // GROUPS * DIM, GROUPS * RANK, dtype=jnp.float8_e4m3fn)
scales = array(GROUPS * RANK, dtype=jnp.float32)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))

with jax.sharding.use_abstract_mesh(mesh):
    turned = array(TOKENS, 256, dtype=jnp.float32)
    jax.eval_shape(projection.wo_a_projection, x, weights, scales, turned)

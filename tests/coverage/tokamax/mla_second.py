"""Latent attention over pages, the second generation: decoding, prefill and mixed batches."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.experimental.mla.v2 import kernel as mla

TOKENS, HEADS, DIM, ROTARY, PAGES, PAGE, SEQUENCES, PER_SEQUENCE = 256, 16, 512, 64, 128, 128, 4, 8


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def table(*shape):
    return array(*shape, dtype=jnp.int32)


batch = (table(SEQUENCES), table(SEQUENCES * PER_SEQUENCE), table(SEQUENCES + 1), table(3))
tokens = (
    array(HEADS, TOKENS, DIM),
    array(TOKENS, HEADS, ROTARY),
    array(TOKENS, DIM),
    array(TOKENS, ROTARY),
)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
attention = functools.partial(
    mla.mla_ragged_paged_attention,
    sm_scale=(DIM + ROTARY) ** -0.5,
    num_kv_pages_per_block=3,
    num_queries_per_block=8,
    vmem_limit_bytes=48 << 20,
)
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(attention, *tokens, array(PAGES, PAGE // 2, 2, 640), *batch)

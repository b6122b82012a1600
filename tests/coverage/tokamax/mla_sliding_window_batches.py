"""Latent attention within a window of the pages, with the sequences that decode taken in batches."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.experimental.mla_swa import pallas_mosaic_tpu_kernel as mla_swa

SEQUENCES, TOKENS, HEADS, DIM, WINDOW, PAGE = 12, 48, 16, 512, 32, 16
PER_SEQUENCE = WINDOW * 10 // PAGE


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def table(*shape):
    return array(*shape, dtype=jnp.int32)


operands = (
    array(TOKENS, HEADS, DIM),
    array(TOKENS, DIM),
    array(SEQUENCES * PER_SEQUENCE, (PAGE + 4) * 2, 4, 128, dtype=jnp.uint8),
    table(SEQUENCES),
    table(SEQUENCES * PER_SEQUENCE),
    table(SEQUENCES + 1),
    table(3),
    array(HEADS, dtype=jnp.float32),
)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
attention = functools.partial(
    mla_swa.mla_sliding_window_ragged_paged_attention,
    sliding_window=WINDOW,
    logical_page_size=PAGE,
    num_queries_per_block=8,
    q_compute_block_size=2,
)
with jax.sharding.use_abstract_mesh(mesh):
    # A block holds the whole window, so that sequences that decode are taken many at a time.
    jax.eval_shape(functools.partial(attention, num_kv_pages_per_block=2), *operands)

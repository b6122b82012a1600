"""Scores of compressed keys and the top-k of every query, streamed page by page."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.lightning_indexer.kernel import streamindex_topk as indexer

TOKENS, HEADS, DIM, PAGES, PAGE, SEQUENCES = 8, 2, 128, 128, 16, 4


def array(*shape, dtype=jnp.int32):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(
        functools.partial(
            indexer.streamindex_topk, k=512, compression_ratio=4, num_kv_pages_per_block=8, num_queries_per_block=1
        ),
        array(TOKENS, HEADS, DIM, dtype=jnp.float32),
        array(TOKENS, HEADS, dtype=jnp.float32),
        array(PAGES, PAGE // 4, 4, 256, dtype=jnp.uint8),
        array(SEQUENCES),
        array(SEQUENCES * 32),
        array(SEQUENCES + 1),
        array(3),
    )

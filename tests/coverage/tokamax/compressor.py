"""DeepSeek's compressor, its second kernel: windows of states compressed, normalised, rotated and stored in pages."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.dsv4_compressor import pallas_mosaic_tpu_kernel as compressor

TOKENS, REQUESTS, STRIDE, PAGES = 64, 4, 16, 80


def array(*shape, dtype=jnp.int32):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
tokens = array(TOKENS)
table = array(REQUESTS * STRIDE)
turns = array(4096, 64, dtype=jnp.float32)

with jax.sharding.use_abstract_mesh(mesh):
    # Windows that overlap, compressed four to one; their states are in the cache itself.
    sparse = functools.partial(
        compressor.compress_norm_rope_store,
        block_table_stride=STRIDE,
        state_block_size=16,
        compress_ratio=4,
        overlap=True,
        tile_n=8,
    )
    jax.eval_shape(
        lambda cache, positions, table, owners, slots, weight, ropes, turns: sparse(
            cache, positions, table, owners, slots, weight, rope_cache=ropes, cos_sin_cache=turns
        ),
        array(PAGES, 256, 128),
        tokens,
        table,
        tokens,
        tokens,
        array(512, dtype=jnp.float32),
        array(PAGES, 64, 128),
        turns,
    )

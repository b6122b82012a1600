"""Latent attention over whole pages with a mask of the selected positions: decoding, prefill in chunks, and mixed."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.masked_dense_mla import pallas_mosaic_tpu_kernel as masked_dense

TOKENS, HEADS, DIM, ROTARY, PAGES, PAGE, SEQUENCES, PER_SEQUENCE = 64, 16, 512, 64, 64, 32, 4, 8
LONGEST = PAGE * PER_SEQUENCE


def array(*shape, dtype=jnp.int32):
    return jax.ShapeDtypeStruct(shape, dtype)


operands = (
    array(TOKENS, HEADS, DIM + ROTARY, dtype=jnp.bfloat16),
    array(PAGES, PAGE, 4, 128, dtype=jnp.uint8),
    array(PAGES, PAGE // 4, 4, 128, dtype=jnp.uint8),
    array(SEQUENCES),
    array(TOKENS, LONGEST),
    array(SEQUENCES * PER_SEQUENCE),
    array(SEQUENCES + 1),
    array(3),
)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
attention = functools.partial(
    masked_dense.masked_dense_ragged_paged_attention,
    sm_scale=(DIM + ROTARY) ** -0.5,
    k_scale=0.5,
    num_kv_pages_per_block=4,
    num_queries_per_block=8,
)
with jax.sharding.use_abstract_mesh(mesh):
    # Where the selection may be all there is, the mask is computed and none is read.
    jax.eval_shape(functools.partial(attention, max_kv_len=LONGEST), *operands)

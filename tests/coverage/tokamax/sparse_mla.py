"""Sparse latent attention: the rows that each query selected are gathered by SparseCores, and attended to."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.sparse_mla import pallas_mosaic_tpu_kernel as sparse_mla

TOKENS, HEADS, DIM, TOPK, PAGES, PAGE, SEQUENCES = 64, 16, 512, 256, 64, 64, 4


def array(*shape, dtype=jnp.int32):
    return jax.ShapeDtypeStruct(shape, dtype)


q = array(TOKENS, HEADS, DIM, dtype=jnp.bfloat16)
row = array(TOKENS, HEADS, dtype=jnp.float32)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(
        functools.partial(sparse_mla.sparse_ragged_paged_attention, sm_scale=DIM**-0.5),
        q,
        array(PAGES, PAGE * 4, 128),
        array(PAGES, PAGE, 128),
        array(TOKENS, TOPK),
        array(SEQUENCES * 16),
        array(SEQUENCES + 1),
        array(3),
        array(HEADS, dtype=jnp.float32),
        q,
        row,
        row,
    )

"""Rows of experts gathered, weighted and summed by SparseCores: the way back of a mixture of experts."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.ragged_gather_reduce import pallas_mosaic_tpu_kernel as gather_reduce

TOKENS, TOPK, HIDDEN = 512, 8, 2048


def array(*shape, dtype=jnp.int32):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(
        functools.partial(gather_reduce.ragged_gather_reduce, reduce_group_size=TOPK),
        array(TOKENS * TOPK, HIDDEN, dtype=jnp.bfloat16),
        array(TOKENS * TOPK),
        array(TOKENS * TOPK, dtype=jnp.float32),
        array(TOKENS * TOPK, dtype=jnp.bool_),
    )

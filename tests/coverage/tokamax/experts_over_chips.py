"""A mixture of experts in one kernel that writes every row straight to the chip that owns its token."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.experimental.fused_moe_rs import gmm_fused_rs_nodedup as fused

CHIPS, TOKENS, HIDDEN, INNER, EXPERTS, TOPK = 8, 512, 1024, 512, 64, 8


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def table(*shape):
    return array(*shape, dtype=jnp.int32)


mesh = AbstractMesh((CHIPS,), ("expert",), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(
        functools.partial(fused.run_gmm_fused_rs, ep_size=CHIPS, mesh=mesh, top_k=TOPK, ep_axis_name="expert"),
        array(TOKENS, HIDDEN),
        array(EXPERTS, HIDDEN, 2 * INNER),
        array(EXPERTS, INNER, HIDDEN),
        table(EXPERTS),
        table(TOKENS * TOPK),
        table(TOKENS * TOPK),
        array(TOKENS, TOPK, dtype=jnp.float32),
        table(TOKENS * TOPK),
    )

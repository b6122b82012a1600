"""A mixture of experts over eight chips: routing tables, one kernel that sends, multiplies and returns, the sums."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.experimental.fused_moe import host, layer

CHIPS, TOKENS, HIDDEN, INNER, EXPERTS, TOPK = 8, 256, 512, 256, 32, 4


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((CHIPS,), ("ep",), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    experts = functools.partial(
        layer.fused_ep_moe_v2,
        mesh=mesh,
        topk=TOPK,
        renormalize=True,
        capacity=128,
        weight_format=host.WeightFormat.BF16,
    )
    jax.eval_shape(
        lambda x, w1, w2, gating: experts(x, w1, w2, None, None, gating),
        array(TOKENS, HIDDEN),
        array(EXPERTS, HIDDEN, 2 * INNER),
        array(EXPERTS, INNER, HIDDEN),
        array(TOKENS, EXPERTS, dtype=jnp.float32),
    )

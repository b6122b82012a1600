"""The last step of a mixture of experts over many chips: every token's arrivals, weighted, summed and stored."""

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.experimental.fused_moe import kernel

TOKENS, TOPK, HIDDEN = 256, 8, 2048
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    combine = kernel.build_combine_kernel(
        t_local=TOKENS,
        topk=TOPK,
        hidden=HIDDEN,
        lane_blocks=HIDDEN // 128,
        wire_dtype=jnp.float8_e4m3fn,
        out_dtype=jnp.bfloat16,
    )
    jax.eval_shape(
        combine,
        jax.ShapeDtypeStruct((4096, HIDDEN // 128, 128), jnp.float8_e4m3fn),
        jax.ShapeDtypeStruct((TOKENS, TOPK), jnp.float32),
        jax.ShapeDtypeStruct((TOKENS, TOPK), jnp.int32),
    )

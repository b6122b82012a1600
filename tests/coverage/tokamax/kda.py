"""Kimi delta attention: the fused chunk kernels, forward and backward, and the passing on of states between chunks."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.kda import common
from tokamax._src.ops.kda import pallas_mosaic_tpu_bwd_kernel as backward
from tokamax._src.ops.kda import pallas_mosaic_tpu_fwd_kernel as forward

HEADS, BATCH, LENGTH, DIM, CHUNK = 4, 2, 256, 128, 64
CHUNKS = LENGTH // CHUNK


def array(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def train(q, k, v, g, beta, state):
    """A step forward, and one backward with what the first kept."""
    scale = DIM**-0.5
    (out, _), residuals = forward.chunk_kda_fwd_custom(
        q, k, v, g, beta, scale=scale, initial_state=state, output_final_state=True, return_residuals=True
    )
    return backward.chunk_kda_bwd_custom(
        scale=scale,
        use_qk_l2norm=False,
        use_gate_in_kernel=False,
        lower_bound=None,
        disable_recompute=True,
        context_parallel_metadata=None,
        chunk_size=CHUNK,
        max_num_segments=None,
        has_initial_state=True,
        residuals=residuals,
        grad_outputs=(out, None),
    )


wide = array(HEADS, BATCH, LENGTH, DIM)
state = array(BATCH, HEADS, DIM, DIM)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(train, wide, wide, wide, wide, array(HEADS, BATCH, LENGTH), state)

    pass_on = functools.partial(common.chunk_gated_delta_rule_fwd_h, output_final_state=True)
    jax.eval_shape(lambda k, gk, h0: pass_on(k, k, k, gk=gk, initial_state=h0), wide, wide, state)
    jax.eval_shape(
        lambda k, gk, lengths, chunks: pass_on(k, k, k, gk=gk, cu_seqlens=lengths, chunk_indices=chunks),
        wide,
        wide,
        array(BATCH, 4, dtype=jnp.int32),
        array(BATCH, CHUNKS, 2, dtype=jnp.int32),
    )
    jax.eval_shape(
        forward.chunk_gated_delta_rule_fwd_h_pre_process, *[wide] * 4, array(BATCH, 4, dtype=jnp.int32)
    )
    # The sums that a rank hands to the one before it: heads whose blocks are copied while others are computed.
    summary = functools.partial(backward.chunk_gated_delta_rule_bwd_dhu_pre_process, scale=DIM**-0.5)
    jax.eval_shape(lambda q, ids: summary(q, q, q, q, q, q, segment_ids=ids), wide, array(BATCH, LENGTH, dtype=jnp.int32))

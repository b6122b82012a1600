"""Decode attention: multi-query and grouped-query, with starts, lengths and residuals."""

import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import decode_attention
from values import show, waves

q, k, v = waves(2, 4, 16), waves(2, 64, 16, step=0.9), waves(2, 64, 16, step=1.7)
plain = dict(block_h=16, block_k=16, interpret=True)
show("mqa", decode_attention.mqa(q, k, v, k_splits=2, **plain))
show("mqa.reference", decode_attention.mqa_reference(q, k, v))
start, length = jnp.array([3, 20]), jnp.array([50, 33])
show("mqa.ranges", decode_attention.mqa(q, k, v, start, length, k_splits=4, **plain))
show("mqa.ranges.reference", decode_attention.mqa_reference(q, k, v, start, length))
show("mqa.residuals", decode_attention.mqa(q, k, v, kv_seq_len=40, k_splits=2, return_residuals=True, **plain))
show("mqa.unnormalised", decode_attention.mqa(q, k, v, k_splits=1, return_residuals=True, normalize_output=False, **plain))

q, k, v = waves(2, 4, 16), waves(2, 64, 2, 16, step=0.9), waves(2, 64, 2, 16, step=1.7)
show("gqa", decode_attention.gqa(q, k, v, k_splits=2, **plain))
show("gqa.ranges", decode_attention.gqa(q, k, v, start, length, k_splits=2, **plain))
q, k, v = (a.astype("float16") for a in (q, k, v))
show("gqa.half", decode_attention.gqa(q, k, v, k_splits=2, **plain))
show("mha.reference", decode_attention.mha_reference(q, jnp.repeat(k, 2, 2), jnp.repeat(v, 2, 2), start, length))

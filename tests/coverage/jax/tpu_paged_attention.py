"""Attention over pages of the TPU ops: all steps in one program or in a grid, quantized pages, two cores; ragged batches."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention_kernel, quantization_utils
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import ragged_paged_attention

Array = jax.ShapeDtypeStruct

q, pages = Array((8, 16, 128), jnp.bfloat16), Array((4, 256, 16, 128), jnp.bfloat16)
lengths, tables = Array((8,), jnp.int32), Array((8, 32), jnp.int32)
paged = functools.partial(paged_attention_kernel.paged_attention, pages_per_compute_block=8)
for inline in (True, False):
    jax.eval_shape(functools.partial(paged, inline_seq_dim=inline), q, pages, pages, lengths, tables)
for cores in ("kv_head", "batch"):
    jax.eval_shape(functools.partial(paged, megacore_mode=cores), q, pages, pages, lengths, tables)
weights, scales = Array(pages.shape, jnp.int8), Array((4, 256, 16, 1), jnp.float32)
quantized = quantization_utils.QuantizedTensor(weights, scales)
jax.eval_shape(functools.partial(paged, attn_logits_soft_cap=20.0), q, quantized, quantized, lengths, tables)

tokens, cache = Array((512, 16, 128), jnp.bfloat16), Array((256, 16, 8, 128), jnp.bfloat16)
ragged = functools.partial(ragged_paged_attention, sm_scale=0.1, num_kv_pages_per_block=8, num_queries_per_block=64)
starts, count = Array((9,), jnp.int32), Array((1,), jnp.int32)
jax.eval_shape(ragged, tokens, cache, lengths, tables, starts, count)
jax.eval_shape(functools.partial(ragged, sliding_window=128, soft_cap=30.0), tokens, cache, lengths, tables, starts, count)

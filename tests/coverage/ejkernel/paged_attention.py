"""Attention over pages of keys and values of ejkernel on TPU: decoding, a chunk of a prompt, and ragged batches."""

import jax
import jax.numpy as jnp

from ejkernel.kernels._pallas.tpu.page_attention import page_attention
from ejkernel.kernels._pallas.tpu.prefill_page_attention import prefill_page_attention
from ejkernel.kernels._pallas.tpu.ragged_page_attention_v2 import ragged_page_attention_v2

SEQUENCES, HEADS, KV_HEADS, DIM, PAGES, PAGE, PER_SEQUENCE = 4, 16, 2, 128, 64, 16, 8


def shape(*dims, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(dims, dtype)


def numbers(*dims):
    return shape(*dims, dtype=jnp.int32)


pages = shape(KV_HEADS, PAGES, PAGE, DIM)
tables = numbers(SEQUENCES, PER_SEQUENCE)


def decode(q, keys, values, lengths, tables):
    return page_attention(q, keys, values, lengths, tables)


def decode_by_blocks(q, keys, values, lengths, tables):
    return page_attention(q, keys, values, lengths, tables, inline_seq_dim=False, pages_per_compute_block=4)


def ragged(q, pages, lengths, tables, starts, count):
    return ragged_page_attention_v2(
        q, pages, lengths, tables, starts, count, num_kv_pages_per_block=4, num_queries_per_block=16
    )


one_token = (shape(SEQUENCES, HEADS, DIM), pages, pages, numbers(SEQUENCES), tables)
print(jax.eval_shape(decode, *one_token))
print(jax.eval_shape(decode_by_blocks, *one_token))
print(jax.eval_shape(prefill_page_attention, shape(64, HEADS, DIM), pages, pages, numbers(1), numbers(PER_SEQUENCE)))
print(
    jax.eval_shape(
        ragged,
        shape(64, HEADS, DIM),
        shape(PAGES, PAGE, 2 * KV_HEADS, DIM),
        numbers(SEQUENCES),
        tables,
        numbers(SEQUENCES + 1),
        numbers(1),
    )
)

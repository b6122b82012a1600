"""Paged attention: pages looked up in a table, lengths, soft capping, scales of quantized pages."""

import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import paged_attention
from values import show, waves

q = waves(2, 4, 16)
k_pages, v_pages = waves(2, 8, 8, 16, step=0.9), waves(2, 8, 8, 16, step=1.7)
tables = jnp.array([[3, 1, 0, 2], [7, 6, 5, 4]], dtype=jnp.int32)
lengths = jnp.array([25, 9], dtype=jnp.int32)
options = dict(block_h=16, pages_per_compute_block=2, interpret=True)


def run(name, q=q, lengths=lengths, k_splits=2, **more):
    out = paged_attention.paged_attention(q, k_pages, v_pages, tables, lengths, k_splits=k_splits, **options, **more)
    show(name, out)


def gathered(pages):
    return jnp.swapaxes(jnp.take(pages, tables, axis=1), 0, 1).reshape(2, 2, 32, 16).swapaxes(1, 2)


run("pages")
show("reference", paged_attention.paged_attention_reference(q, gathered(k_pages), gathered(v_pages), lengths))
run("one split", k_splits=1)
run("full", lengths=None)
run("capped", attn_logits_soft_cap=2.0)
scales = 1 + 0.1 * waves(2, 8, 8)
quantized = jnp.round(k_pages * 100).astype(jnp.int8), jnp.round(v_pages * 100).astype(jnp.int8)
out = paged_attention.paged_attention(
    q, *quantized, tables, lengths, scales / 100, scales / 100, k_splits=2, **options
)
show("quantized", out)

"""Paged attention on TPU: pages fetched by the kernel's own copies, one sequence after the other."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention
from values import show, waves

BATCH, HEADS, KV_HEADS, SIZE, PAGES, PAGE, PER_SEQUENCE = 2, 4, 2, 128, 8, 16, 4
CHIP = jax.sharding.AbstractMesh((), (), abstract_device=jax.sharding.AbstractDevice("TPU v6e", 1, "tpu"))

q = waves(BATCH, HEADS, SIZE, step=0.37) * 0.2
k = waves(KV_HEADS, PAGES, PAGE, SIZE, step=0.91)
v = waves(KV_HEADS, PAGES, PAGE, SIZE, step=1.3)
lengths = jnp.array([17, 50], jnp.int32)
pages = jnp.array([[0, 3, 1, 2], [4, 5, 6, 7]], jnp.int32)

for mode in ("on_wait", "eager"):
    device = pltpu.InterpretParams(dma_execution_mode=mode)
    with pltpu.force_tpu_interpret_mode(device), jax.sharding.use_abstract_mesh(CHIP):
        for inline in (True, False):
            out = paged_attention(q, k, v, lengths, pages, pages_per_compute_block=2, inline_seq_dim=inline)
            show(f"{mode} inline={inline}", out)
        show(f"{mode} capped", paged_attention(q, k, v, lengths, pages, pages_per_compute_block=4, attn_logits_soft_cap=2.0))

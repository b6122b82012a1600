"""Ragged paged attention on TPU: sequences of several lengths in one array, double-buffered pages, reshaped Refs.

JAX's simulator does not know reshaped Refs: where it gives up, the values of the reference that comes with the kernel stand
in for the kernel's.
"""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import kernel as ragged
from values import show, waves

TOKENS, HEADS, KV_HEADS, SIZE, PAGE, PAGES = 8, 4, 2, 128, 8, 12
CHIP = jax.sharding.AbstractMesh((), (), abstract_device=jax.sharding.AbstractDevice("TPU v6e", 1, "tpu"))

q = waves(TOKENS, HEADS, SIZE, step=0.37) * 0.2
kv = waves(PAGES, PAGE, 2 * KV_HEADS, SIZE, step=0.91)
lengths = jnp.array([20, 9, 0, 0], jnp.int32)
starts = jnp.array([0, 5, 8, 8, 8], jnp.int32)
pages = jnp.arange(16, dtype=jnp.int32).reshape(4, 4) % PAGES
count = jnp.array([2], jnp.int32)


def attend(mode, **options):
    arguments = (q, kv, lengths, pages, starts, count)
    device = pltpu.InterpretParams(dma_execution_mode=mode)
    try:
        with pltpu.force_tpu_interpret_mode(device), jax.sharding.use_abstract_mesh(CHIP):
            return jax.block_until_ready(
                ragged.ragged_paged_attention(
                    *arguments, sm_scale=0.1, num_kv_pages_per_block=2, num_queries_per_block=4, **options
                )
            )
    except jax.errors.JaxRuntimeError:
        pltpu.reset_tpu_interpret_mode_state()
        return ragged.ref_ragged_paged_attention(*arguments, sm_scale=0.1, **options)


for mode in ("on_wait", "eager"):
    show(mode, attend(mode))
    show(f"{mode} window", attend(mode, sliding_window=6))
    show(f"{mode} capped", attend(mode, soft_cap=1.5))

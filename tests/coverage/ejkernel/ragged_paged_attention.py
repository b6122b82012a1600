"""Ragged attention of ejkernel on TPU that writes the cache as it reads it: heads of 128 and of 64, and latent caches."""

import jax
import jax.numpy as jnp

from ejkernel.kernels._pallas.tpu.multi_latent_ragged_page_attention import multi_latent_ragged_page_attention
from ejkernel.kernels._pallas.tpu.multi_latent_ragged_page_attention_v2 import multi_latent_ragged_page_attention_v2
from ejkernel.kernels._pallas.tpu.ragged_page_attention_v3 import _utils, ragged_page_attention_v3

# Block sizes are looked up by the name of the first device.
_utils.get_tpu_version = lambda: 6
_utils.get_device_name = lambda: "TPU v6e"

TOKENS, HEADS, KV_HEADS, SEQUENCES, PAGES, PAGE, PER_SEQUENCE = 64, 16, 2, 4, 64, 16, 8
LATENT, ROPE = 512, 64


def shape(*dims, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(dims, dtype)


def numbers(*dims):
    return shape(*dims, dtype=jnp.int32)


batch = (numbers(SEQUENCES), numbers(SEQUENCES * PER_SEQUENCE), numbers(SEQUENCES + 1), numbers(3))
blocks = {"num_kv_pages_per_block": 4, "num_queries_per_block": 16}


def attend(*args):
    return ragged_page_attention_v3(*args, **blocks)


def window(*args):
    return ragged_page_attention_v3(*args, **blocks, sliding_window=128, logits_soft_cap=30.0)


def latent(*args):
    return multi_latent_ragged_page_attention(*args, **blocks)


def latent_by_phase(*args):
    return multi_latent_ragged_page_attention_v2(*args, **blocks)


# Keys and values of a head lie next to each other, two bfloat16 in a word; heads of 64 share a row of 128.
def heads_of(dim):
    heads, kv = shape(TOKENS, HEADS, dim), shape(TOKENS, KV_HEADS, dim)
    cache = shape(PAGES, PAGE, KV_HEADS * dim // 128, 2, 128)
    return heads, kv, kv, cache, *batch


latents = (
    shape(TOKENS, HEADS, LATENT),
    shape(TOKENS, HEADS, ROPE),
    shape(TOKENS, LATENT),
    shape(TOKENS, ROPE),
    shape(PAGES, PAGE // 2, 2, 640),
    *batch,
)
print(jax.eval_shape(attend, *heads_of(128)))
print(jax.eval_shape(window, *heads_of(128)))
print(jax.eval_shape(attend, *heads_of(64)))
print(jax.eval_shape(latent, *latents))
print(jax.eval_shape(latent_by_phase, *latents))

"""Flash attention in Mosaic GPU, backward, for Hopper: the gradients of queries, keys and values."""

import jax
import jax.numpy as jnp

from tokamax._src.ops.attention import pallas_mosaic_gpu_vjp_kernel_sm90 as backward

q = jax.ShapeDtypeStruct((1024, 8, 64), jnp.bfloat16)
kv = jax.ShapeDtypeStruct((1024, 8, 64), jnp.bfloat16)
row = jax.ShapeDtypeStruct((8, 1024), jnp.float32)
config = backward.Config(block_q_dkv=64, block_kv_dkv=64, block_q_dq=64, block_kv_dq=64, num_stages=2)


def gradients(q, k, v, m, l, out, dout):
    return backward.flash_attention_vjp_kernel(
        q,
        k,
        v,
        (m, l),
        out,
        dout,
        bias=None,
        mask=None,
        k_start=None,
        k_end=None,
        logits_scale=0.125,
        logits_soft_cap=None,
        is_causal=True,
        ds_dtype=None,
        config=config,
    )


jax.eval_shape(gradients, q, kv, kv, row, row, q, q)

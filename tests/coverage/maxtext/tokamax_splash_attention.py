"""The splash attention that maxtext has taken over from tokamax: masks of every kind, one or several heads of keys."""

import functools

import jax
import jax.numpy as jnp
from maxtext.kernels.tokamax_splash_attention import base
from maxtext.kernels.tokamax_splash_attention import splash_attention_kernel as splash
from maxtext.kernels.tokamax_splash_attention import splash_attention_mask as mask_lib

Array = jax.ShapeDtypeStruct

HEADS, LENGTH, SIZE = 8, 2048, 128
square = (LENGTH, LENGTH)
q, kv = Array((HEADS, LENGTH, SIZE), jnp.bfloat16), Array((2, LENGTH, SIZE), jnp.bfloat16)
one, ids = Array((LENGTH, SIZE), jnp.bfloat16), Array((LENGTH,), jnp.int32)
blocks = dict(block_q=512, block_kv=512, block_kv_compute=256, block_q_dkv=512, block_kv_dkv=512, block_kv_dkv_compute=256)


def loss(kernel, q, k, v, ids):
    return jnp.sum(kernel(q, k, v, base.SegmentIds(ids, ids)).astype(jnp.float32))


masks = (mask_lib.CausalMask(square), mask_lib.LocalMask(square, (512, 0), 0), mask_lib.FullMask(square))
for mask in masks:
    for more in ({}, dict(attn_logits_soft_cap=30.0), dict(dq_reduction_steps=3), dict(use_experimental_scheduler=True)):
        config = splash.SplashConfig(**blocks, **more)
        kernel = splash.make_splash_mha_single_device(mask, config=config)
        jax.eval_shape(kernel, q, kv, kv)
        jax.eval_shape(jax.grad(functools.partial(loss, kernel), argnums=(0, 1, 2)), q, kv, kv, ids)

shared = splash.make_splash_mqa_single_device(masks[0], config=splash.SplashConfig(**blocks))
jax.eval_shape(shared, q, one, one)
dynamic = splash.make_dynamic_splash_mha(jnp.tri(LENGTH, dtype=jnp.bool_), config=splash.SplashConfig(**blocks))
jax.eval_shape(dynamic, q, kv, kv)

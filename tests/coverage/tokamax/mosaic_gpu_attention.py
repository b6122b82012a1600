"""Flash attention in Mosaic GPU, forward, for Ampere, Hopper and Blackwell: causal, with grouped heads."""

import functools

import jax
import jax.numpy as jnp

from tokamax._src.ops.attention import pallas_mosaic_gpu_kernel_sm80 as ampere
from tokamax._src.ops.attention import pallas_mosaic_gpu_kernel_sm90 as hopper
from tokamax._src.ops.attention import pallas_mosaic_gpu_kernel_sm100 as blackwell

q = jax.ShapeDtypeStruct((1024, 8, 64), jnp.bfloat16)
kv = jax.ShapeDtypeStruct((1024, 2, 64), jnp.bfloat16)


def run(module, config):
    kernel = functools.partial(
        module.flash_attention_kernel,
        bias=None,
        mask=None,
        k_start=None,
        k_end=None,
        is_causal=True,
        logits_soft_cap=None,
        logits_scale=0.125,
        out_dtype=jnp.bfloat16,
        normalize_output=True,
        return_residuals=True,
        use_stable_softmax=True,
        rescale_threshold=1.0,
        config=config,
    )
    jax.eval_shape(kernel, q, kv, kv)


run(ampere, ampere.Config(block_q=64, block_kv=64, num_stages=2))
run(hopper, hopper.Config(block_q=64, block_kv=64, num_stages=2))
run(blackwell, blackwell.Config(block_q=256, block_kv=128, num_stages=2))

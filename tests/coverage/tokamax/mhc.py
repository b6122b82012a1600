"""Hyper-connections over four residual streams: the mix product, the collapse, and the way back into the streams."""

import functools

import jax
import jax.numpy as jnp

from tokamax._src.ops.mhc import fused_post_pre_kernel, post_kernel, pre_kernel

TOKENS, STREAMS, HIDDEN = 100, 4, 512
GATES = STREAMS * (STREAMS + 2)


def array(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


residual = array(TOKENS, STREAMS, HIDDEN, dtype=jnp.bfloat16)
layer = array(TOKENS, HIDDEN, dtype=jnp.bfloat16)
fn = array(GATES, STREAMS * HIDDEN)
scale, base = array(3), array(GATES)

jax.eval_shape(pre_kernel.mhc_pre_mixes, array(TOKENS, STREAMS * HIDDEN, dtype=jnp.bfloat16), fn)
pre = functools.partial(
    pre_kernel.mhc_pre,
    rms_eps=1e-6,
    hc_pre_eps=1e-6,
    hc_sinkhorn_eps=1e-6,
    hc_post_mult_value=2.0,
    sinkhorn_repeat=4,
    token_block_size=32,
)
post_mix, comb_mix, _ = jax.eval_shape(pre, residual, fn, scale, base)
jax.eval_shape(post_kernel.mhc_post, layer, residual, post_mix, comb_mix)

fused = functools.partial(
    fused_post_pre_kernel.mhc_fused_post_pre,
    rms_eps=1e-6,
    hc_pre_eps=1e-6,
    hc_sinkhorn_eps=1e-6,
    hc_post_mult_value=2.0,
    sinkhorn_repeat=4,
)
jax.eval_shape(fused, layer, residual, post_mix, comb_mix, fn, scale, base)
jax.eval_shape(functools.partial(fused, gemm_precision="default"), layer, residual, post_mix, comb_mix, fn, scale, base)

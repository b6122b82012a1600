"""Multi-head latent attention of ejkernel on TPU: with and without rotary parts, and gradients."""

import jax
import jax.numpy as jnp

from ejkernel.kernels._pallas.tpu.flash_mla import flash_mla

BATCH, LENGTH, HEADS, RANK, NOPE, ROPE, VALUE = 2, 256, 4, 128, 128, 64, 128


def shape(*dims):
    return jax.ShapeDtypeStruct(dims, jnp.bfloat16)


q, latent = shape(BATCH, LENGTH, HEADS, NOPE), shape(BATCH, LENGTH, RANK)
w_kc, w_vc = shape(RANK, HEADS, NOPE), shape(RANK, HEADS, VALUE)
rope = shape(BATCH, LENGTH, ROPE)


def plain(q, latent, w_kc, w_vc):
    return flash_mla(q, latent, w_kc, w_vc, causal=True)


def decoupled(q, latent, w_kc, w_vc, b_q, b_k):
    return flash_mla(q, latent, w_kc, w_vc, b_q, b_k, causal=True, logits_soft_cap=20.0)


def fused(q, latent, w_kc, w_vc, b_k):
    return flash_mla(q, latent, w_kc, w_vc, b_k=b_k, sliding_window=64)


def loss(*args):
    return decoupled(*args).astype(jnp.float32).sum()


print(jax.eval_shape(plain, q, latent, w_kc, w_vc))
print(jax.eval_shape(decoupled, q, latent, w_kc, w_vc, rope, rope))
print(jax.eval_shape(fused, shape(BATCH, LENGTH, HEADS, NOPE + ROPE), latent, w_kc, w_vc, rope))
print(jax.eval_shape(jax.grad(loss, argnums=(0, 1, 2, 3)), q, latent, w_kc, w_vc, rope, rope))

"""KL divergence of ejkernel on TPU: the whole vocabulary, one shard of it, and gradients."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

from ejkernel.kernels._pallas.tpu.fused_kl_divergence import fused_kl_divergence

TOKENS, VOCABULARY = 256, 4096
logits = jax.ShapeDtypeStruct((TOKENS, VOCABULARY), jnp.float32)


def loss(student, teacher):
    return fused_kl_divergence(student, teacher, temperature=2.0)


def reverse_loss(student, teacher):
    return fused_kl_divergence(student, teacher, direction="reverse")


mesh = Mesh(np.array(jax.devices()[:1]), ("vocabulary",))


@functools.partial(
    jax.shard_map, mesh=mesh, in_specs=(P(None, "vocabulary"), P(None, "vocabulary")), out_specs=P(), check_vma=False
)
def sharded_loss(student, teacher):
    return fused_kl_divergence(student, teacher, vocab_parallel_axis="vocabulary")


print(jax.eval_shape(loss, logits, logits))
print(jax.eval_shape(jax.grad(loss), logits, logits))
print(jax.eval_shape(reverse_loss, logits, logits))
print(jax.eval_shape(jax.grad(reverse_loss), logits, logits))
print(jax.eval_shape(sharded_loss, logits, logits))
print(jax.eval_shape(jax.grad(sharded_loss), logits, logits))

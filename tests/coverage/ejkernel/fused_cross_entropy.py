"""Cross entropy of ejkernel on TPU: the whole vocabulary, one shard of it, and gradients."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

from ejkernel.kernels._pallas.tpu.fused_cross_entropy import fused_cross_entropy

TOKENS, VOCABULARY = 256, 4096
logits = jax.ShapeDtypeStruct((TOKENS, VOCABULARY), jnp.float32)
targets = jax.ShapeDtypeStruct((TOKENS,), jnp.int32)


def loss(logits, targets):
    return fused_cross_entropy(logits, targets, label_smoothing=0.1, z_loss=1e-4)[0]


mesh = Mesh(np.array(jax.devices()[:1]), ("vocabulary",))


@functools.partial(
    jax.shard_map, mesh=mesh, in_specs=(P(None, "vocabulary"), P()), out_specs=P(), check_vma=False
)
def sharded_loss(logits, targets):
    return fused_cross_entropy(logits, targets, vocab_parallel_axis="vocabulary")[0]


print(jax.eval_shape(loss, logits, targets))
print(jax.eval_shape(jax.grad(loss), logits, targets))
print(jax.eval_shape(sharded_loss, logits, targets))
print(jax.eval_shape(jax.grad(sharded_loss), logits, targets))

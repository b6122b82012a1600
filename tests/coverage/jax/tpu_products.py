"""Products of the TPU ops: blocked, and grouped with its gradients; and the smallest kernel there is."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu import example_kernel, megablox
from jax.experimental.pallas.ops.tpu.matmul import matmul

Array = jax.ShapeDtypeStruct

x, y = Array((1024, 512), jnp.bfloat16), Array((512, 1024), jnp.bfloat16)
jax.eval_shape(functools.partial(matmul, block_shape=(256, 256), block_k=128), x, y)
jax.eval_shape(functools.partial(matmul, block_shape=(256, 256), block_k=128, out_dtype=jnp.float32), x, y)
jax.eval_shape(example_kernel.double, jnp.zeros((8, 128)))

experts, sizes = Array((8, 512, 1024), jnp.bfloat16), Array((8,), jnp.int32)


def loss(x, experts, sizes):
    return jnp.sum(megablox.gmm(x, experts, sizes, jnp.float32, tiling=(128, 128, 128)))


jax.eval_shape(functools.partial(megablox.gmm, tiling=(128, 128, 128)), x, experts, sizes)
jax.eval_shape(jax.grad(loss, argnums=(0, 1)), x, experts, sizes)

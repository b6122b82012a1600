"""JAX's Hopper attention: with barriers of its own, with an emitted pipeline, causal, and its backward kernels."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import attention_mgpu
from mosaic import on_two_cores, show_kernel
from values import waves

mgpu = on_two_cores(attention_mgpu)
STEPS = dict(block_q=64, block_kv=64, max_concurrent_steps=2)

q = waves(1, 128, 2, 64, dtype="float16")
k, v = (waves(1, 256, 1, 64, dtype="float16", step=step) for step in (0.91, 1.3))


def plain(causal=False):
    return mgpu.attention_reference(q, k, v, causal).astype(jnp.float16)


for causal in (False, True):
    config = mgpu.TuningConfig(**STEPS, causal=causal)
    show_kernel(f"causal={causal}", lambda: mgpu.attention(q, k, v, config), lambda: plain(causal))
config = mgpu.TuningConfig(**STEPS)
show_kernel("emitted", lambda: mgpu.attention_with_pipeline_emitter(q, k, v, config), plain)

backward = mgpu.TuningConfig(**STEPS, block_q_dkv=64, block_kv_dkv=64, block_q_dq=64, block_kv_dq=64)
weights = waves(1, 128, 2, 64, step=0.05)


def gradient(attention):
    def loss(q, k, v):
        return jnp.sum(attention(q, k, v).astype(jnp.float32) * weights)

    return jax.grad(loss, argnums=(0, 1, 2))(q, k, v)


show_kernel(
    "gradient",
    lambda: gradient(lambda q, k, v: mgpu.attention(q, k, v, backward)),
    lambda: gradient(mgpu.attention_reference),
)


def worst(found, expected):
    """The largest difference of all elements, by the largest element."""
    found, expected = found.astype(jnp.float32), expected.astype(jnp.float32)
    return jnp.abs(found - expected).max() / jnp.abs(expected).max()


def everywhere():
    found = gradient(lambda q, k, v: mgpu.attention(q, k, v, backward))
    return jnp.stack([worst(*pair) < 0.02 for pair in zip(found, gradient(mgpu.attention_reference))])


# Gradients are smaller than what samples may be off.
show_kernel("gradient, every element", everywhere, lambda: jnp.ones(3, bool))

"""Fused attention: blocks, causal or not, segment ids, a head size that is padded; and its backward kernels."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import attention
from values import show, waves

SIZES = attention.BlockSizes(16, 16, 16, 16, 16, 16)


def inputs(heads, size, dtype="float32"):
    return [waves(2, 32, heads, size, dtype=dtype, step=s) for s in (0.37, 0.91, 1.3)]


segments = jnp.array([[0] * 10 + [1] * 22, [0] * 20 + [2] * 12])
for causal in (False, True):
    for ids in (None, segments):
        name = f"causal={causal} segments={ids is not None}"
        q, k, v = inputs(2, 16)

        def run(q, k, v):
            return attention.mha(q, k, v, ids, 0.25, causal, SIZES, interpret=True)

        def plain(q, k, v):
            return attention.mha_reference(q, k, v, ids, 0.25, causal)

        show(f"{name} forward", run(q, k, v))
        show(f"{name} reference", plain(q, k, v))
        weights = waves(2, 32, 2, 16, step=0.05)
        gradient = jax.grad(lambda q, k, v: jnp.sum(run(q, k, v) * weights), argnums=(0, 1, 2))
        show(f"{name} gradient", gradient(q, k, v))
        gradient = jax.grad(lambda q, k, v: jnp.sum(plain(q, k, v) * weights), argnums=(0, 1, 2))
        show(f"{name} gradient of the reference", gradient(q, k, v))

q, k, v = inputs(1, 20)
show("padded heads", attention.mha(q, k, v, None, block_sizes=SIZES, interpret=True))
q, k, v = inputs(1, 16, "float16")
show("half", attention.mha(q, k, v, None, causal=True, block_sizes=SIZES, interpret=True))
out, lse = attention.mha(q, k, v, None, block_sizes=SIZES, return_residuals=True, interpret=True)
show("with residuals", (out, lse))
try:
    attention.mha(q[:, :20], k, v, None, block_sizes=SIZES, interpret=True)
except ValueError as error:
    print(error)

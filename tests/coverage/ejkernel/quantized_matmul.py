"""Products with quantized weights of ejkernel on TPU: every kind of quantization, and gradients."""

import functools

import jax
import jax.numpy as jnp

from ejkernel.kernels._pallas.tpu.quantized_matmul import quantized_matmul
from ejkernel.kernels._pallas.tpu.quantized_matmul._pallas_impl_core import pallas_dense_matmul
from ejkernel.quantization import prepack_quantized_weights

M, K, N = 128, 512, 512
x = jax.ShapeDtypeStruct((M, K), jnp.bfloat16)
w = jax.ShapeDtypeStruct((K, N), jnp.float32)


def product(x, w, mode, bits, group_size):
    packed = prepack_quantized_weights(w, mode=mode, bits=bits, group_size=group_size, transpose=False)
    q, scales, *zeros = packed
    zeros = zeros[0] if zeros else None
    return quantized_matmul(
        x, q, scales, zeros, mode=mode, bits=bits, group_size=group_size,
        block_m=128, block_n=512, block_k=128, allow_dense_fallback=False,
    )


for mode, bits, group_size in [("affine", 4, 64), ("affine", 8, 128), ("nf4", 4, 64), ("mxfp8", 8, 32)]:

    def run(x, w):
        return product(x, w, mode, bits, group_size)

    def loss(x, w):
        return run(x, w).astype(jnp.float32).sum()

    print(jax.eval_shape(run, x, w))
    print(jax.eval_shape(jax.grad(loss), x, w))

dense = functools.partial(pallas_dense_matmul, transpose_rhs=False, block_m=128, block_n=128, block_k=128)
print(jax.eval_shape(dense, x, w))

"""RMS norm: one output, and the gradients of its backward kernels, against the plain one."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import rms_norm
from values import show, waves

x, weight, bias = waves(2, 3, 20), 1 + 0.5 * waves(20, step=0.9), waves(20, step=1.7)
show("forward", rms_norm.rms_norm(x, weight, bias, interpret=True))
show("reference", rms_norm.rms_norm_reference(x, weight, bias))


def gradient(norm):
    def total(x, weight, bias):
        return jnp.sum(norm(x, weight, bias) * waves(2, 3, 20, step=0.11))

    return jax.grad(total, argnums=(0, 1, 2))


def kernel(x, weight, bias):
    return rms_norm.rms_norm(x, weight, bias, None, 3, 1e-5, "triton", True)


show("gradient", gradient(kernel)(x, weight, bias))
show("gradient.reference", gradient(rms_norm.rms_norm_reference)(x, weight, bias))

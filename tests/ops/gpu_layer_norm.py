"""Layer norm: one output, and the gradients of its backward kernels, against the plain one."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import layer_norm
from values import show, waves

x, weight, bias = waves(2, 3, 20), 1 + 0.5 * waves(20, step=0.9), waves(20, step=1.7)
show("forward", layer_norm.layer_norm(x, weight, bias, interpret=True))
show("reference", layer_norm.layer_norm_reference(x, weight, bias))
half = layer_norm.layer_norm(x.astype("float16"), weight.astype("float16"), bias.astype("float16"), interpret=True)
show("half", half)


def loss(norm, **options):
    def total(x, weight, bias):
        return jnp.sum(norm(x, weight, bias, **options) * waves(2, 3, 20, step=0.11))

    return jax.grad(total, argnums=(0, 1, 2))


def kernel(x, weight, bias):
    return layer_norm.layer_norm(x, weight, bias, None, 3, 1e-5, "triton", True)


def mixed(x, weight, bias):
    return layer_norm.layer_norm(x, weight, bias, None, 3, 1e-5, "xla", True)


show("gradient", loss(kernel)(x, weight, bias))
show("gradient.xla", loss(mixed)(x, weight, bias))
show("gradient.reference", loss(layer_norm.layer_norm_reference)(x, weight, bias))

"""Normalisations of the Triton ops, and their backward kernels."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu.layer_norm import layer_norm
from jax.experimental.pallas.ops.gpu.rms_norm import rms_norm
from jax.experimental.pallas.ops.gpu.softmax import softmax

Array = jax.ShapeDtypeStruct

x, weight = Array((4, 384, 1024), jnp.float32), Array((1024,), jnp.float32)
for norm in (layer_norm, rms_norm):
    jax.eval_shape(norm, x, weight, weight)

    def loss(x, weight, bias):
        return jnp.sum(norm(x, weight, bias) ** 2)

    jax.eval_shape(jax.grad(loss, argnums=(0, 1, 2)), x, weight, weight)

jax.eval_shape(softmax, Array((512, 1000), jnp.float16))

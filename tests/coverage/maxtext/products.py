"""Grouped products of maxtext: of numbers and of quantized ones, with the gradients; and the second version of the kernels."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh
from maxtext.kernels import megablox
from maxtext.kernels.megablox import backend
from maxtext.kernels.megablox import pallas_mosaic_tpu_v2_gmm_kernel as second
from maxtext.kernels.megablox import pallas_mosaic_tpu_v2_tgmm_kernel as second_transposed

Array = jax.ShapeDtypeStruct

x, experts, sizes = Array((2048, 512), jnp.bfloat16), Array((8, 512, 1024), jnp.bfloat16), Array((8,), jnp.int32)

for turned in (False, True):
    rhs = Array((8, 1024, 512), jnp.bfloat16) if turned else experts
    product = functools.partial(backend.gmm, tiling=(128, 128, 128), transpose_rhs=turned)
    jax.eval_shape(product, x, rhs, sizes)
columns = Array((512, 2048), jnp.bfloat16)
jax.eval_shape(functools.partial(backend.tgmm, tiling=(128, 128, 128)), columns, Array((2048, 1024), jnp.bfloat16), sizes)


def loss(x, experts, sizes, **options):
    return jnp.sum(megablox.gmm(x, experts, sizes, preferred_element_type=jnp.float32, **options))


for options in ({}, dict(lhs_quantize_dtype=jnp.int8, rhs_quantize_dtype=jnp.int8)):
    jax.eval_shape(jax.grad(functools.partial(loss, **options), argnums=(0, 1)), x, experts, sizes)

mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))


def trace(function, *arguments, **options):
    with jax.sharding.use_abstract_mesh(mesh):
        return jax.eval_shape(functools.partial(function, **options), *arguments)


trace(second.gmm_v2, x, experts, sizes)
turned = functools.partial(second_transposed.tgmm_v2, num_actual_groups=8, preferred_element_type=jnp.float32)
trace(lambda x, y, sizes: turned(x, y, sizes), x, Array((2048, 1024), jnp.bfloat16), sizes)

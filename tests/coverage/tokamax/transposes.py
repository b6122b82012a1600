"""Transposition kernels of latent attention: whole, in tiles, and a copy that pins an array in VMEM."""

import functools

import jax
import jax.numpy as jnp

from tokamax._src.ops.experimental.mla.v2 import transpose

x = jax.ShapeDtypeStruct((256, 16, 512), jnp.bfloat16)
jax.eval_shape(functools.partial(transpose.xpose_full, transpose_axes=(1, 0, 2)), x)
jax.eval_shape(functools.partial(transpose.xpose_pipeline, transpose_axes=(1, 0, 2), n_tile=64), x)
jax.eval_shape(functools.partial(transpose.pin_vmem_custom_call, num_scalars=0), x)

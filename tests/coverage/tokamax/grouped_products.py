"""Products of groups of rows with the matrices of their groups, and the transposed ones: both generations of kernels."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src import config
from tokamax._src.ops.gmm_v2 import gmm_v2, tgmm_v2
from tokamax._src.ops.ragged_dot import pallas_mosaic_tpu_kernel as ragged_dot

ROWS, DEPTH, COLUMNS, GROUPS = 1024, 512, 1024, 8


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


rows, grads = array(ROWS, DEPTH), array(ROWS, COLUMNS)
matrices, sizes = array(GROUPS, DEPTH, COLUMNS), array(GROUPS, dtype=jnp.int32)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))

with jax.sharding.use_abstract_mesh(mesh):
    options = dict(precision=jax.lax.Precision.DEFAULT, out_dtype=jnp.bfloat16)
    product = functools.partial(ragged_dot.gmm, tiling=(256, 256, 512), **options)
    jax.eval_shape(product, rows, matrices, sizes)
    jax.eval_shape(functools.partial(product, input_buffer_count=3), rows, matrices, sizes)
    transposed = functools.partial(ragged_dot.tgmm, tiling=(256, 256, 512), **options)
    jax.eval_shape(transposed, array(DEPTH, ROWS), grads, sizes)

    # Without the mesh of cores that newer versions of JAX have.
    with config.disable_multi_core_mode(True):
        second = functools.partial(gmm_v2.gmm_v2, preferred_element_type=jnp.bfloat16)
        jax.eval_shape(second, rows, matrices, sizes)
        jax.eval_shape(functools.partial(second, fuse_act="silu"), rows, matrices, sizes)
        turned = functools.partial(tgmm_v2.tgmm_v2, num_actual_groups=GROUPS, preferred_element_type=jnp.bfloat16)
        jax.eval_shape(turned, rows, grads, sizes)

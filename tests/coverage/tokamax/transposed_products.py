"""The transposed products of groups of rows of the second generation: the gradients of the groups' matrices."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src import config
from tokamax._src.ops.gmm_v2 import tgmm_v2

ROWS, DEPTH, COLUMNS, GROUPS = 1024, 512, 1024, 8


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))
turned = functools.partial(tgmm_v2.tgmm_v2, num_actual_groups=GROUPS, preferred_element_type=jnp.bfloat16)
operands = array(ROWS, DEPTH), array(ROWS, COLUMNS), array(GROUPS, dtype=jnp.int32)

with jax.sharding.use_abstract_mesh(mesh), config.disable_multi_core_mode(True):
    jax.eval_shape(turned, *operands)

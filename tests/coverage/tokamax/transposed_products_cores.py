"""The transposed products of groups of rows over the mesh of TensorCores."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.gmm_v2 import tgmm_v2

# The name that newer versions of JAX give the mesh.
if not hasattr(pltpu, "TensorCoreMesh"):
    pltpu.TensorCoreMesh = pltpu.create_tensorcore_mesh

ROWS, DEPTH, COLUMNS, GROUPS = 1024, 512, 1024, 8


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))
turned = functools.partial(tgmm_v2.tgmm_v2, num_actual_groups=GROUPS, preferred_element_type=jnp.bfloat16)

with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(turned, array(ROWS, DEPTH), array(ROWS, COLUMNS), array(GROUPS, dtype=jnp.int32))

"""Products of groups of rows over the mesh of TensorCores, as the second generation of kernels does by default."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.gmm_v2 import gmm_v2

# The name that newer versions of JAX give the mesh.
if not hasattr(pltpu, "TensorCoreMesh"):
    pltpu.TensorCoreMesh = pltpu.create_tensorcore_mesh

ROWS, DEPTH, COLUMNS, GROUPS = 1024, 512, 1024, 8


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))
product = functools.partial(gmm_v2.gmm_v2, preferred_element_type=jnp.bfloat16)

with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(product, array(ROWS, DEPTH), array(GROUPS, DEPTH, COLUMNS), array(GROUPS, dtype=jnp.int32))

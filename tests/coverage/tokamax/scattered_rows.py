"""Rows of a cache written by SparseCores, each to the place that a table gives it."""

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.masked_dense_mla import scatter_utils


def array(*shape, dtype=jnp.uint32):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(scatter_utils.scatter_rows, array(2048, 128), array(256, 128), array(256, dtype=jnp.int32))

"""Rows gathered by SparseCores: a ragged range of them."""

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.ragged_gather import pallas_mosaic_tpu_kernel as ragged_gather


def array(*shape, dtype=jnp.int32):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    rows = array(1024, 2048, dtype=jnp.bfloat16)
    jax.eval_shape(ragged_gather.ragged_gather_pallas, rows, array(4096), array(1), array(1))

"""The two halves of a compressed cache, gathered row by row by SparseCores."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.csa_gather import pallas_mosaic_tpu_kernel as csa_gather


def array(*shape, dtype=jnp.int32):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    gather = functools.partial(csa_gather.csa_gather, top_k=256)
    jax.eval_shape(gather, array(64, 256, 128), array(64, 64, 128), array(64 * 256))

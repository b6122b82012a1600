"""The mask of the positions that sparse attention selected, written by SparseCores."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.masked_dense_mla import csa_mask

mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    selected = jax.ShapeDtypeStruct((64, 128), jnp.int32)
    jax.eval_shape(functools.partial(csa_mask.generate_mask_sc, max_kv_len=256), selected)

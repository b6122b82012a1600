"""The k largest scores of every row, found by SparseCores."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.topk import pallas_mosaic_tpu_kernel as topk

mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    scores = jax.ShapeDtypeStruct((64, 8192), jnp.float32)
    jax.eval_shape(functools.partial(topk.sparsecore_topk, k=512), scores)

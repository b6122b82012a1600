"""The entries of every row that are not negative, packed to its front by SparseCores."""

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.lightning_indexer.kernel import dcp_sc_compact

mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(dcp_sc_compact.pack_nonnegative, jax.ShapeDtypeStruct((64, 512), jnp.int32))

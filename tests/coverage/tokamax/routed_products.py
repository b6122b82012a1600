"""Products of routed rows with the matrices of their experts, the rows gathered on the way in."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.experimental.routing_moe.common import arg, layout_util
from tokamax._src.ops.experimental.routing_moe.gmm import kernel as products

# The name that newer versions of JAX give the mesh.
if not hasattr(pltpu, "TensorCoreMesh"):
    pltpu.TensorCoreMesh = pltpu.create_tensorcore_mesh

TOKENS, DEPTH, COLUMNS, EXPERTS, TOPK = 16, 512, 1024, 64, 10


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def routed(x, w, sizes, indices):
    """Every token's rows, gathered on the way in."""
    spec = arg.ActivationSpec(row_size=TOKENS, col_size=DEPTH, dtype=jnp.dtype(jnp.bfloat16))
    rows = arg.ActivationWrapper(data=x, scale=None, spec=spec)
    return products.routing_gmm(rows, arg.make_weight_wrapper(w), sizes, gather=arg.make_routing_wrapper(indices))


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    compact = layout_util.to_compact_shape((TOKENS, DEPTH), jnp.dtype(jnp.bfloat16))
    jax.eval_shape(
        routed,
        array(*compact),
        array(EXPERTS, DEPTH, COLUMNS),
        array(EXPERTS, dtype=jnp.int32),
        array(TOKENS * TOPK, dtype=jnp.int32),
    )

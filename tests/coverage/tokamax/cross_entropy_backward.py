"""Cross entropy of a linear layer's softmax, backward: the gradients of rows and weights, from what forward kept."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.linear_softmax_cross_entropy_loss import pallas_mosaic_tpu_kernel as loss

# The name that newer versions of JAX give the mesh.
if not hasattr(pltpu, "TensorCoreMesh"):
    pltpu.TensorCoreMesh = pltpu.create_tensorcore_mesh

ROWS, HIDDEN, CLASSES = 1024, 512, 2048


def array(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


x, labels, w = array(ROWS, HIDDEN), array(ROWS, dtype=jnp.int32), array(HIDDEN, CLASSES)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6 lite", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    backward = functools.partial(loss.linear_softmax_cross_entropy_loss_bwd_pallas_mosaic_tpu, reduction="mean")
    jax.eval_shape(backward, array(), array(ROWS), x, labels, w)

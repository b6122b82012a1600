"""The gradient of a product with eight-bit weights: the incoming gradient is scaled and quantised on the way."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.experimental.fused_fp8_matmul import pallas_mosaic_tpu_dlhs_kernel as backward

ROWS, DEPTH, COLUMNS = 1024, 1024, 2048


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    product = functools.partial(backward.fused_fp8_dlhs_pallas, bm=256, bk=1024, bn=512)
    weights = array(DEPTH, COLUMNS, dtype=jnp.float8_e4m3fn)
    jax.eval_shape(product, array(ROWS, COLUMNS), weights, array(COLUMNS, dtype=jnp.float32))

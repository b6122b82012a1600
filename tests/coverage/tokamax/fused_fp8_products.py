"""Products with eight-bit weights whose left operand is quantised on the way, row by row."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.experimental.fused_fp8_matmul import pallas_mosaic_tpu_kernel as forward

ROWS, DEPTH, COLUMNS = 1024, 1024, 2048


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


x = array(ROWS, DEPTH)
w = array(DEPTH, COLUMNS, dtype=jnp.float8_e4m3fn)
scales = array(COLUMNS, dtype=jnp.float32)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    product = functools.partial(forward.fused_fp8_matmul_pallas, bm=256, bn=512)
    jax.eval_shape(functools.partial(product, bk=512), x, w, scales)
    jax.eval_shape(functools.partial(product, bk=1024, return_xq=True), x, w, scales)

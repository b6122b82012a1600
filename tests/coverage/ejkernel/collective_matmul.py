"""Products of ejkernel on TPU whose operands are spread over devices, and their gradients."""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

from ejkernel.kernels._pallas.tpu.all_gather_matmul import all_gather_matmul
from ejkernel.kernels._pallas.tpu.reduce_scatter_matmul import reduce_scatter_matmul

M, K, N = 512, 512, 512
mesh = Mesh(np.array(jax.devices()[:4]), ("x",))
x = jax.ShapeDtypeStruct((M, K), jnp.float32)
y = jax.ShapeDtypeStruct((K, N), jnp.float32)
spread = functools.partial(jax.shard_map, mesh=mesh, check_vma=False)


@functools.partial(spread, in_specs=(P("x", None), P(None, "x")), out_specs=P(None, "x"))
def gathered(x, y):
    return all_gather_matmul(x, y, "x", tp_size=4, bn=128, bk=256)


@functools.partial(spread, in_specs=(P(None, "x"), P(None, "x")), out_specs=P("x", None))
def scattered(x, y):
    return reduce_scatter_matmul(x, y, "x", tp_size=4, bm=64)


def loss(x, y):
    return gathered(x, y).sum()


print(jax.eval_shape(gathered, x, y))
print(jax.eval_shape(scattered, x, y))
print(jax.eval_shape(jax.grad(loss, argnums=(0, 1)), x, y))

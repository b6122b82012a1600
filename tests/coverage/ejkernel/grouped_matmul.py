"""Grouped products of ejkernel on TPU, in three versions, and their gradients."""

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh, use_abstract_mesh

from ejkernel.kernels._pallas.tpu.grouped_matmul import grouped_matmul
from ejkernel.kernels._pallas.tpu.grouped_matmulv2 import grouped_matmulv2
from ejkernel.kernels._pallas.tpu.grouped_matmulv3 import grouped_matmulv3

M, K, N, GROUPS = 512, 256, 256, 4
lhs = jax.ShapeDtypeStruct((M, K), jnp.bfloat16)
rhs = jax.ShapeDtypeStruct((GROUPS, K, N), jnp.bfloat16)
sizes = jax.ShapeDtypeStruct((GROUPS,), jnp.int32)
# The second version asks which TPU it runs on.
chip = AbstractDevice(device_kind="TPU v6 lite", num_cores=1, platform="tpu")
mesh = AbstractMesh((1,), ("x",), abstract_device=chip)



def gradients(function):
    return jax.grad(lambda *args: function(*args).sum(), argnums=(0, 1))


with use_abstract_mesh(mesh):
    print(jax.eval_shape(grouped_matmul, lhs, rhs, sizes))
    print(jax.eval_shape(gradients(grouped_matmul), lhs, rhs, sizes))
    print(jax.eval_shape(grouped_matmulv2, lhs, rhs, sizes))
    print(jax.eval_shape(gradients(grouped_matmulv2), lhs, rhs, sizes))
    print(jax.eval_shape(grouped_matmulv3, lhs, rhs, sizes))
    print(jax.eval_shape(gradients(grouped_matmulv3), lhs, rhs, sizes))

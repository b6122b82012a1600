"""Kernels of the Mosaic GPU ops that work across devices: gathering, reducing, and a product that gathers."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.gpu import collective_matmul_mgpu, hopper_matmul_mgpu
from jax.experimental.pallas.ops.gpu.all_gather_mgpu import all_gather
from jax.experimental.pallas.ops.gpu.reduce_scatter_mgpu import reduce_scatter

P = jax.sharding.PartitionSpec

mesh = jax.make_mesh((jax.device_count(),), ("x",), axis_types=(jax.sharding.AxisType.Explicit,))
jax.set_mesh(mesh)
x = jax.ShapeDtypeStruct((1024 * jax.device_count(), 4096), jnp.bfloat16, sharding=jax.NamedSharding(mesh, P("x", None)))


def sharded(function, in_specs, out_specs):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False))


gather = functools.partial(all_gather, axis_name="x")
jax.eval_shape(sharded(gather, P("x", None), P(None, None)), x)
scatter = functools.partial(reduce_scatter, axis_name="x", scatter_dimension=0)
jax.eval_shape(sharded(scatter, P("x", None), P("x", None)), x)

tiles = hopper_matmul_mgpu.TuningConfig(tile_m=128, tile_n=128, tile_k=64, max_concurrent_steps=4)
product = functools.partial(collective_matmul_mgpu.all_gather_lhs_matmul, axis_name="x", config=tiles, dtype=jnp.bfloat16)
weights = jax.ShapeDtypeStruct((4096, 4096), jnp.bfloat16)
jax.eval_shape(sharded(product, (P("x", None), P(None, None)), P(None, None)), x, weights)

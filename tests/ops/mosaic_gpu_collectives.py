"""Mosaic GPU kernels over several devices: gathering, reducing and scattering by multimem, and a product that gathers."""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.gpu import (
    all_gather_mgpu,
    collective_matmul_mgpu,
    hopper_matmul_mgpu,
    reduce_scatter_mgpu,
)
from jax.sharding import PartitionSpec as P
from mosaic import on_two_cores, show_kernel
from values import waves

gather, scatter, matmul = map(on_two_cores, (all_gather_mgpu, reduce_scatter_mgpu, collective_matmul_mgpu))
on_two_cores(hopper_matmul_mgpu)


def over(devices, function, in_specs, out_specs):
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:devices]), ("x",))
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False))


# The product wants all devices there are.
DEVICES = 4

for devices in (2, DEVICES):
    for dtype in ("float32", "bfloat16", "int32"):
        x = (waves(devices * 32, 128) * 50).astype(dtype)
        function = functools.partial(gather.all_gather, axis_name="x", num_blocks=2, tile_size=1024)
        show_kernel(f"gather {devices} {dtype}", lambda: over(devices, function, P("x"), P())(x), lambda: x)

    whole = (waves(devices, 64, 128, step=0.53) * 20).round()
    for reduction, fold in (("add", jnp.sum), ("min", jnp.min), ("max", jnp.max)):
        x = whole.astype("float32").reshape(-1, 128)
        folded = functools.partial(fold, whole, axis=0)
        options = dict(axis_name="x", num_blocks=2, tile_size=1024, reduction=reduction)
        function = functools.partial(scatter.reduce_scatter, scatter_dimension=0, **options)
        show_kernel(f"scatter {devices} {reduction}", lambda: over(devices, function, P("x"), P("x"))(x), folded)
        function = functools.partial(scatter.reduce_scatter, scatter_dimension=None, **options)
        show_kernel(f"reduce {devices} {reduction}", lambda: over(devices, function, P("x"), P())(x), folded)

lhs, rhs = waves(DEVICES * 128, 128, dtype="float16"), waves(128, DEVICES * 128, dtype="float16", step=0.91)
for along in hopper_matmul_mgpu.MatmulDimension:
    config = hopper_matmul_mgpu.TuningConfig(
        tile_m=64, tile_n=64, tile_k=64, max_concurrent_steps=2, wg_dimension=along
    )
    function = functools.partial(matmul.all_gather_lhs_matmul, axis_name="x", config=config, dtype=jnp.float16)
    show_kernel(
        f"matmul {along.name}",
        lambda: over(DEVICES, function, (P("x", None), P(None, "x")), P(None, "x"))(lhs, rhs),
        lambda: jnp.dot(lhs, rhs, preferred_element_type=jnp.float32).astype(jnp.float16),
    )

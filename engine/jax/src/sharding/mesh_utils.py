"""`jax.experimental.mesh_utils`: devices in a grid."""

import math

import jax
from jax._src import shards
from jax._src.mesh import DeviceGrid, enough, grid


def create_device_mesh(mesh_shape, devices=None, *, contiguous_submeshes=False, allow_split_physical_axes=False):
    """The devices in this shape."""
    mesh_shape = tuple(mesh_shape)
    devices = list(jax.devices() if devices is None else grid(devices).flat)
    size = math.prod(mesh_shape)
    if size != len(devices) and shards.is_host_unknown():
        devices = enough(devices, size)
    if size != len(devices):
        raise ValueError(f"Number of devices {len(devices)} must equal the product of mesh_shape {mesh_shape}")
    return DeviceGrid(devices, mesh_shape)


def create_hybrid_device_mesh(mesh_shape, dcn_mesh_shape, devices=None, **options):
    """Meshes side by side."""
    return create_device_mesh([a * b for a, b in zip(mesh_shape, dcn_mesh_shape)], devices)

"""Devices in a grid."""

import jax
import numpy as np


def create_device_mesh(mesh_shape, devices=None, **kwargs):
    """The devices in this shape."""
    devices = list(jax.devices() if devices is None else devices)
    size = int(np.prod(mesh_shape))
    if size != len(devices):
        raise ValueError(
            f"Number of devices {len(devices)} must equal the product of mesh_shape {tuple(mesh_shape)}"
        )
    return np.array(devices, dtype=object).reshape(mesh_shape)

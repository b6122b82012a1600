"""Devices in grids, as launchers of several devices make them, and what the backend says of itself."""

import jax
import jaxlib.version
import numpy as np
from jax.extend import backend

grid = np.reshape(jax.devices(), (1, 1))
print(grid.shape, np.array(jax.devices()).shape, np.reshape(jax.devices()[0], (1, 1, 1)).shape)
print(jax.sharding.Mesh(grid, ["data", "model"]))
print(backend.get_backend().platform, backend.get_backend("cpu").device_count())
print(jaxlib.version.__version__)

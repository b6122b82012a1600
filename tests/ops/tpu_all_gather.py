"""all_gather.all_gather: halves of each shard go both ways round a ring, on meshes of one and of two axes."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu import all_gather
from values import show, waves

ring = jax.sharding.Mesh(np.array(jax.devices()[:4]), ("x",))
grid = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 4), ("a", "b"))
x = waves(64, 128)
for mesh, axis in ((ring, "x"), (grid, "a"), (grid, "b")):
    for space in (pltpu.VMEM, pl.ANY):
        # A device that runs ahead counts on the semaphore that its neighbour waits for: what has moved by then depends on
        # when copies are carried out, unless that is at once.
        with pltpu.force_tpu_interpret_mode(pltpu.InterpretParams(dma_execution_mode="eager")):
            gathered = all_gather.all_gather(x, mesh=mesh, axis_name=axis, memory_space=space)
        show(f"along {axis} in {space}", gathered)
        print(bool((gathered == x).all()))

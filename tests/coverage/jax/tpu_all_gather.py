"""The gathering of shards along a ring of the TPU ops."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu.all_gather import all_gather

devices = jax.devices()
mesh = jax.sharding.Mesh(np.array(devices), ("x",))
shards = jax.ShapeDtypeStruct((len(devices) * 256, 128), jnp.float32)
for space in (pltpu.VMEM, pltpu.HBM):
    jax.eval_shape(lambda x: all_gather(x, mesh=mesh, axis_name="x", memory_space=space), shards)

# The right neighbour of the last device is no device: the remainder is missing.
# jax: not run
# found by a run
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P



def kernel(x_ref, o_ref):
    barrier = pltpu.get_barrier_semaphore()
    pl.semaphore_signal(barrier, device_id=(jax.lax.axis_index("ring") + 1,))
#   ^ PL001 error "device 4 is named, but there are 4 devices"
    pl.semaphore_wait(barrier, 1)
    o_ref[...] = x_ref[...]


def launch(x):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        in_specs=[pl.BlockSpec(memory_space=pltpu.VMEM)],
        out_specs=pl.BlockSpec(memory_space=pltpu.VMEM),
        compiler_params=pltpu.CompilerParams(collective_id=0),
        interpret=pltpu.InterpretParams(),
    )(x)


mesh = jax.sharding.Mesh(np.array(jax.devices()), ("ring",))
x = jnp.arange(32.0)
print(jax.shard_map(launch, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"), check_vma=False)(x))

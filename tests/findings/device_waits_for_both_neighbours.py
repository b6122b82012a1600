# Every device waits for two neighbours and signals one.
# jax: does not end
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
    right = jax.lax.rem(jax.lax.axis_index("ring") + 1, 4)
    barrier = pltpu.get_barrier_semaphore()
    pl.semaphore_signal(barrier, device_id=(right,))
    pl.semaphore_wait(barrier, 2)
#   ^ PL401 error "device 3 waits for a semaphore to reach 2; it is at 1"
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

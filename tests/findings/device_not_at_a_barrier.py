# All devices launch a kernel, and inside of it the first one takes another branch than those that meet.
# jax: does not end
# found by a run
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))


def kernel(x_ref, o_ref):
    me = lax.axis_index("x")
    barrier = pltpu.get_barrier_semaphore()

    @pl.when(me > 0)
    def _():
        for other in (1, 3):
            pl.semaphore_signal(barrier, device_id=(lax.rem(me + other, 4),))
        pl.semaphore_wait(barrier, 2)
#       ^ PL423 error "device_not_at_a_barrier.py:27). device 0 takes another branch"

    o_ref[...] = x_ref[...] * 2


def step(x):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        compiler_params=pltpu.CompilerParams(collective_id=0),
        interpret=pltpu.InterpretParams(),
    )(x)


x = jnp.arange(32.0)
print(jax.shard_map(step, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)(x))

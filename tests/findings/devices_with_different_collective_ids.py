# Two devices launch a kernel with one collective_id, two launch one with another: they meet at different barriers.
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


def meet(x_ref, o_ref):
    me = lax.axis_index("x")
    barrier = pltpu.get_barrier_semaphore()
    for other in (1, 3):
        pl.semaphore_signal(barrier, device_id=(lax.rem(me + other, 4),))
    pl.semaphore_wait(barrier, 2)
#   ^ PL423 error "device 0, device 1 do not come to this launch: another branch is taken there"
    o_ref[...] = x_ref[...] * 2


def launch(x, collective_id=0):
    return pl.pallas_call(
        meet,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        compiler_params=pltpu.CompilerParams(collective_id=collective_id),
        interpret=pltpu.InterpretParams(),
    )(x)


def step(x):
    near = lambda x: launch(x, 1)
    far = lambda x: launch(x, 2)
    return lax.cond(lax.axis_index("x") < 2, near, far, x)


x = jnp.arange(32.0)
print(jax.shard_map(step, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)(x))

# A sum over devices in a branch that only one of them takes, and a gathering that half of them come to.
# jax: does not end
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))


def total(x):
    return lax.psum(x, "x")
#          ^ PL423 error "device 0 waits in psum over axis 'x' for devices 1, 2, 3"


def gathered(x):
    return lax.all_gather(x, "x").sum(0)
#          ^ PL423 error "devices 0, 1 wait in all_gather over axis 'x' for devices 2, 3"


def step(x):
    return lax.cond(lax.axis_index("x") == 0, total, lambda x: x, x)


def halves(x):
    return lax.switch(lax.axis_index("x") // 2, [gathered, lambda x: x], x)


x = jnp.arange(32.0)
print(jax.shard_map(step, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)(x))
print(jax.shard_map(halves, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)(x))

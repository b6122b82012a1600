"""What each device has of an array, also where devices hold differently what they should hold the same."""

import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y"))


def add_place(x):
    return x + jax.lax.axis_index("x") * 10 + jax.lax.axis_index("y")


for spec in (P(), P("x"), P(None, "y"), P(("x", "y")), P("y", "x")):
    for run in (jax.jit, lambda f: f):
        mapped = jax.shard_map(add_place, mesh=mesh, in_specs=P(), out_specs=spec, check_vma=False)
        y = run(mapped)(jnp.zeros((2, 2), jnp.int32))
        print(spec, y.shape, len(y.addressable_shards), len(y.global_shards))
        for shard in y.addressable_shards:
            print("  ", shard.device, shard.index, shard.replica_id, shard.data.shape, np.asarray(shard.data).ravel())
        print(np.asarray(y.addressable_data(3)).ravel(), y.is_fully_replicated, y.is_fully_addressable)
        print(np.asarray(y))

x = jax.device_put(jnp.arange(8), NamedSharding(mesh, P("x")))
for shard in x.addressable_shards:
    print(shard.device, shard.index, shard.replica_id, shard.data)
print(repr(x.addressable_shards[0]), x.addressable_shards[0].data.sharding)
print(x.is_fully_replicated, x.committed)
alone = jnp.arange(4)
print(alone.addressable_shards, alone.is_fully_replicated, alone.committed, len(alone.global_shards))
try:
    x.addressable_data(7)
except IndexError as error:
    print(error)

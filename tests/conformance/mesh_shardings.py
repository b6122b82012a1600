"""Meshes, partition specs and shardings, and what they print."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import mesh_utils
from jax.sharding import AbstractMesh, AxisType, Mesh, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P


def refused(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)


devices = jax.devices()
print(devices, jax.device_count(), str(devices[3]), devices[3].id, devices[3].platform)
print(devices[2] == jax.devices()[2], devices[2] in set(devices[:2]))

mesh = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto, AxisType.Auto))
print(mesh, repr(mesh))
print(mesh.shape, mesh.axis_names, mesh.axis_sizes, mesh.size, mesh.devices.shape, mesh.axis_types, mesh.empty)
print(mesh.devices)
print(mesh.devices[1], mesh.devices[1, 2], mesh.devices.T.shape, mesh.devices.flatten()[5])
print(jax.make_mesh((8,), ("x",)), jax.make_mesh((2,), ("x",), devices=devices[6:]).device_ids)
print(Mesh(np.array(devices).reshape(4, 2), ("a", "b")), Mesh(devices, "i"))
print(Mesh(mesh_utils.create_device_mesh((8,)), ("i",)) == Mesh(devices, ("i",)))
print(AbstractMesh((2, 4), ("x", "y")), list(AxisType), AxisType.Explicit)

print(P("x", None), P(("x", "y")), P(), repr(P("x")), P(("x",)), P(None))
print(P("x") == P("x"), P("x") == P("x", None), P("x")[0], len(P("x", None)), tuple(P("x", "y")), P("x") + P("y"))
print(jax.P is P, hash(P("x")) == hash(P("x")))

sharding = NamedSharding(mesh, P("x"))
print(sharding, sharding.spec, sharding.mesh, sharding.shard_shape((4, 4)), sharding.is_fully_replicated)
x = jax.device_put(jnp.arange(16.0).reshape(4, 4), sharding)
print(x.sharding, x.sharding == sharding)
print(x)
print(jnp.ones(3).sharding, SingleDeviceSharding(devices[1]))
print(jax.device_put({"a": x, "b": 1}, sharding if False else devices[1])["b"].sharding)
print(jax.lax.with_sharding_constraint(x, NamedSharding(mesh, P("y", "x"))).sharding)
doubled = jax.jit(lambda x: x * 2, in_shardings=sharding, out_shardings=NamedSharding(mesh, P()))
print(doubled(x).sum())
with jax.set_mesh(mesh):
    print(jax.jit(lambda x: jax.lax.with_sharding_constraint(x, P("x")) + 1)(x)[0])

refused(lambda: Mesh(devices, ("x", "y")))
refused(lambda: jax.make_mesh((16,), ("x",)))
refused(lambda: mesh_utils.create_device_mesh((4,)))
refused(lambda: NamedSharding(mesh, P("z")))
refused(lambda: NamedSharding(mesh, P("x", "x")))
refused(lambda: jax.device_put(jnp.arange(3.0), sharding))
refused(lambda: jax.device_put(jnp.arange(3.0), NamedSharding(mesh, P(None, "x"))))
refused(lambda: np.array(devices).reshape(3, 2))

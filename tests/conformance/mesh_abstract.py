"""Meshes without devices: what they say of the device that is meant, one replaced by another, the current one."""

import jax
from jax.sharding import AbstractDevice, AbstractMesh, AxisType

chip = AbstractDevice(device_kind="TPU v6 lite", num_cores=1, platform="tpu")
print(chip)
print(chip == AbstractDevice("TPU v6 lite", 1, "tpu"), chip == AbstractDevice("TPU v6 lite", 2, "tpu"))

bare = AbstractMesh((2, 4), ("x", "y"))
meant = AbstractMesh((2, 4), ("x", "y"), (AxisType.Explicit, AxisType.Auto), abstract_device=chip)
print(bare, bare.abstract_device)
print(meant, meant.abstract_device.num_cores)
print(bare == meant, meant == AbstractMesh((2, 4), ("x", "y"), (AxisType.Explicit, AxisType.Auto), abstract_device=chip))
print(meant.update(axis_names=("a", "b")))
print(meant.update(abstract_device=None) == bare, bare.update(axis_sizes=(4, 2)))

print(jax.sharding.get_abstract_mesh(), jax.sharding.get_abstract_mesh().abstract_device)
with jax.sharding.use_abstract_mesh(meant):
    print(jax.sharding.get_abstract_mesh() == meant)
    try:
        with jax.sharding.use_abstract_mesh(AbstractMesh((3,), ("z",))):
            print("not reached")
    except ValueError as error:
        print(error)
    with jax.sharding.use_abstract_mesh(AbstractMesh((8,), ("z",))):
        print(jax.sharding.get_abstract_mesh().axis_names)
print(jax.sharding.get_abstract_mesh().axis_names)
try:
    jax.sharding.use_abstract_mesh("mesh")
except ValueError as error:
    print(error)

mesh = jax.make_mesh((1,), ("x",))
print(mesh.abstract_mesh)
with jax.set_mesh(mesh):
    print(jax.sharding.get_abstract_mesh().abstract_device)
print(hasattr(jax.devices()[0], "core_count"), jax.devices()[0].local_hardware_id, jax.devices()[0].host_id)

kind = jax.sharding.ManualAxisType(varying=frozenset({"x"}))
print(kind, kind == jax.sharding.ManualAxisType(varying={"x"}), kind.update(reduced=frozenset({"y"})).reduced)
print(jax.ShapeDtypeStruct((2,), "float32", manual_axis_type=jax.sharding.ManualAxisType()).shape)
for clash in (dict(unreduced={"x"}), dict(reduced={"x"})):
    try:
        jax.sharding.ManualAxisType(varying={"x"}, **clash)
    except ValueError as error:
        print(error)

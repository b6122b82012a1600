"""`jax.sharding`"""

from jax._src.mesh import AbstractMesh, AxisType, Mesh, get_abstract_mesh, get_mesh, set_mesh
from jax._src.shardings import NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding
from jax._src.shardings import make_single_device_sharding, reshard

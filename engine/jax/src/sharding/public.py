"""`jax.sharding`"""

from jax._src.axis_types import auto_axes, explicit_axes
from jax._src.mesh import AbstractDevice, AbstractMesh, AxisType, ManualAxisType, Mesh
from jax._src.mesh import get_abstract_mesh, get_mesh, set_mesh, use_abstract_mesh
from jax._src.shardings import NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding
from jax._src.shardings import make_single_device_sharding, reshard

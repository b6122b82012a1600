"""Names for placing arrays on several devices; there is one here."""

import enum

import numpy as np


class PartitionSpec(tuple):
    """Which mesh axes each dimension is split over."""

    UNCONSTRAINED = object()

    def __new__(cls, *partitions, unreduced=frozenset(), reduced=frozenset()):
        return tuple.__new__(cls, partitions)

    def __repr__(self):
        return f"PartitionSpec{tuple.__repr__(self)}" if len(self) != 1 else f"PartitionSpec({self[0]!r},)"


class AxisType(enum.Enum):
    """How a mesh axis is treated."""

    Auto = 0
    Explicit = 1
    Manual = 2


class Mesh:
    """Devices in a grid with names."""

    def __init__(self, devices, axis_names, axis_types=None):
        self.devices = np.array(devices, dtype=object)
        self.axis_names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        self.axis_types = axis_types

    @property
    def shape(self):
        return dict(zip(self.axis_names, self.devices.shape))

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


class NamedSharding:
    """A mesh and a partition of it."""

    def __init__(self, mesh, spec, memory_kind=None):
        self.mesh, self.spec, self.memory_kind = mesh, spec, memory_kind


class SingleDeviceSharding:
    """One device."""

    def __init__(self, device, memory_kind=None):
        self._device, self.memory_kind = device, memory_kind

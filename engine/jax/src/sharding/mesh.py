"""Meshes: devices in a grid whose axes have names."""

import collections
import dataclasses
import enum
import math

from jax._src import shards


class AxisType(enum.Enum):
    """Who decides how arrays are distributed along an axis."""

    Auto = 0
    Explicit = 1
    Manual = 2

    def __repr__(self):
        return self.name


class DeviceGrid:
    """Devices in a grid: what numpy makes of a list of devices."""

    def __init__(self, devices, shape=None):
        self._flat = list(devices)
        self.shape = (len(self._flat),) if shape is None else tuple(shape)

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: len(self._flat))
    flat = property(lambda self: iter(self._flat))
    T = property(lambda self: self.transpose())
    dtype = object

    def reshape(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = shape[0]
        shape = [int(extent) for extent in shape]
        if -1 in shape:
            known = -math.prod(shape)
            shape[shape.index(-1)] = len(self._flat) // known if known else 0
        size = math.prod(shape)
        devices = self._flat
        if size != len(devices) and shards.is_host_unknown():
            devices = enough(devices, size)
        if size != len(devices):
            raise ValueError(f"cannot reshape array of size {len(devices)} into shape {_text(shape)}")
        return DeviceGrid(devices, shape)

    def ravel(self):
        return DeviceGrid(self._flat)

    flatten = ravel

    def tolist(self):
        if self.ndim == 0:
            return self._flat[0]
        return [row.tolist() if isinstance(row, DeviceGrid) else row for row in self]

    def transpose(self, *axes):
        if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
            axes = axes[0]
        axes = axes or range(self.ndim)[::-1]
        shape = [self.shape[axis] for axis in axes]
        places = [[0] * self.ndim]
        for axis, extent in zip(axes, shape):
            places = [place[:axis] + [i] + place[axis + 1 :] for place in places for i in range(extent)]
        return DeviceGrid([self._at(place) for place in places], shape)

    def _at(self, place):
        index = 0
        for i, extent in zip(place, self.shape):
            index = index * extent + i
        return self._flat[index]

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        places, shape = [()], []
        for axis, extent in enumerate(self.shape):
            each = keys[axis] if axis < len(keys) else slice(None)
            if isinstance(each, slice):
                picked = list(range(extent))[each]
                shape.append(len(picked))
            else:
                picked = [range(extent)[each]]
            places = [place + (i,) for place in places for i in picked]
        devices = [self._at(place) for place in places]
        return DeviceGrid(devices, shape) if shape else devices[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __eq__(self, other):
        return isinstance(other, DeviceGrid) and (self._flat, self.shape) == (other._flat, other.shape)

    def __str__(self):
        return _rows(self.tolist(), " ", "")

    def __repr__(self):
        return f"array({_rows(self.tolist(), ', ', ' ' * 6)}, dtype=object)"


def _text(shape):
    return "(" + ",".join(str(extent) for extent in shape) + ("," if len(shape) == 1 else "") + ")"


def _rows(items, between, indent, depth=1):
    if not isinstance(items, list):
        return repr(items)
    parts = [_rows(item, between, indent, depth + 1) for item in items]
    if items and isinstance(items[0], list):
        return "[" + f"{between.rstrip()}\n{indent}{' ' * depth}".join(parts) + "]"
    return "[" + between.join(parts) + "]"


def enough(devices, size):
    """At least `size` devices, where it is not known how many the host has."""
    return [*devices, *shards.more_devices(len(devices), size)][:size]


class _Axes:
    """What meshes of devices and meshes without have in common."""

    @property
    def shape(self):
        return collections.OrderedDict(zip(self.axis_names, self.axis_sizes))

    @property
    def shape_tuple(self):
        return tuple(zip(self.axis_names, self.axis_sizes))

    @property
    def size(self):
        return math.prod(self.axis_sizes) if self.axis_names else 0

    @property
    def empty(self):
        return not self.axis_names

    def _parts(self):
        return (self.axis_sizes, self.axis_names, self.axis_types)

    def __hash__(self):
        return hash(self._parts())

    def _named(self):
        return ", ".join(f"{name!r}: {size}" for name, size in self.shape_tuple)


def _types(axis_types, count):
    if axis_types is None:
        return (AxisType.Auto,) * count
    return axis_types if isinstance(axis_types, tuple) else (axis_types,)


class Mesh(_Axes):
    """Devices in a grid whose axes have names."""

    __module__ = "jax._src.mesh"

    def __init__(self, devices, axis_names, axis_types=None):
        if not isinstance(devices, DeviceGrid):
            devices = grid(devices)
        if isinstance(axis_names, str):
            axis_names = (axis_names,)
        axis_names = tuple(axis_names)
        if devices.ndim != len(axis_names):
            raise ValueError(
                "Mesh requires the ndim of its first argument (`devices`) to equal the length of its second argument "
                f"(`axis_names`), but got devices.ndim == {devices.ndim} and len(axis_names) == {len(axis_names)}."
            )
        self.devices = devices
        self.axis_names = axis_names
        self.axis_types = _types(axis_types, len(axis_names))

    @property
    def axis_sizes(self):
        return self.devices.shape

    @property
    def device_ids(self):
        import numpy as np

        return np.array([device.id for device in self.devices.flat]).reshape(self.devices.shape)

    @property
    def local_devices(self):
        return list(self.devices.flat)

    @property
    def local_mesh(self):
        return self

    @property
    def abstract_mesh(self):
        device = None
        if self.axis_names:
            # Only accelerators say how many cores they have.
            device = AbstractDevice(self.devices.ravel()[0].device_kind, None, "cpu")
        return AbstractMesh(self.axis_sizes, self.axis_names, self.axis_types, abstract_device=device)

    def __eq__(self, other):
        if not isinstance(other, Mesh):
            return NotImplemented
        return self._parts() == other._parts() and self.devices == other.devices

    __hash__ = _Axes.__hash__

    def __enter__(self):
        _current.append(self)
        thread_resources.entered.append(self)
        return self

    def __exit__(self, *exception):
        thread_resources.entered.pop()
        _current.pop()
        return False

    def __str__(self):
        return f"Mesh({self._named()}, axis_types={self.axis_types})" if self.axis_names else "Mesh()"

    def __repr__(self):
        if not self.axis_names:
            return "Mesh(axis_sizes=(), axis_names=())"
        return f"Mesh(axis_sizes={self.axis_sizes}, axis_names={self.axis_names!r}, axis_types={self.axis_types})"


@dataclasses.dataclass(frozen=True, repr=False, kw_only=True)
class ManualAxisType:
    """Over which axes of a mesh a value differs, or is still to be added up."""

    varying: frozenset = frozenset()
    unreduced: frozenset = frozenset()
    reduced: frozenset = frozenset()

    def __post_init__(self):
        for name, names in (("unreduced", self.unreduced), ("reduced", self.reduced)):
            if self.varying & names:
                raise ValueError(
                    f"varying and {name} cannot have common mesh axes. Got varying={self.varying} and {name}={names}"
                )
            object.__setattr__(self, name, frozenset(names))
        object.__setattr__(self, "varying", frozenset(self.varying))

    def update(self, **kwargs):
        """Another one, with some parts replaced."""
        return dataclasses.replace(self, **kwargs)

    def __repr__(self):
        return f"ManualAxisType(varying={self.varying}, unreduced={self.unreduced}, reduced={self.reduced})"


@dataclasses.dataclass(frozen=True, repr=False)
class AbstractDevice:
    """What a program needs to know of a device to be compiled for it."""

    device_kind: str
    num_cores: int | None
    platform: str

    def __repr__(self):
        return f"AbstractDevice({self._parts()})"

    def _parts(self):
        return f"device_kind={self.device_kind}, num_cores={self.num_cores}, platform={self.platform}"


class AbstractMesh(_Axes):
    """The names and sizes of axes, without devices."""

    __module__ = "jax._src.mesh"

    def __init__(self, axis_sizes, axis_names, axis_types=None, *, abstract_device=None):
        self.abstract_device = abstract_device
        self.axis_sizes = tuple(axis_sizes)
        self.axis_names = tuple(axis_names)
        self.axis_types = _types(axis_types, len(self.axis_names))

    @property
    def abstract_mesh(self):
        return self

    def update(self, axis_sizes=None, axis_names=None, axis_types=None, **kwargs):
        """Another one, with some parts replaced."""
        return AbstractMesh(
            self.axis_sizes if axis_sizes is None else axis_sizes,
            self.axis_names if axis_names is None else axis_names,
            self.axis_types if axis_types is None else axis_types,
            abstract_device=kwargs.get("abstract_device", self.abstract_device),
        )

    def __eq__(self, other):
        if not isinstance(other, AbstractMesh):
            return False
        return (self._parts(), self.abstract_device) == (other._parts(), other.abstract_device)

    __hash__ = _Axes.__hash__

    def __repr__(self):
        device = "" if self.abstract_device is None else f", {self.abstract_device._parts()}"
        return f"AbstractMesh({self._named() or '()'}, axis_types={self.axis_types}{device})"


def grid(devices):
    """A nested list of devices as a grid."""
    rows = list(devices)
    shape = []
    while rows and isinstance(rows[0], (list, tuple, DeviceGrid)):
        shape.append(len(rows[0]))
        rows = [device for row in rows for device in row]
    first = len(rows) // (math.prod(shape) or 1)
    return DeviceGrid(rows, (first, *shape))


def make_mesh(axis_shapes, axis_names, axis_types=None, *, devices=None):
    """A mesh of the first devices."""
    import jax

    axis_shapes, axis_names = tuple(axis_shapes), tuple(axis_names)
    if len(axis_shapes) != len(axis_names):
        raise ValueError(
            f"Number of axis_shapes and axis_names should match. Got axis_shapes={axis_shapes} of length "
            f"{len(axis_shapes)} and axis_names={axis_names} of length {len(axis_names)}."
        )
    size = math.prod(axis_shapes)
    given = list(jax.devices() if devices is None else grid(devices).flat)
    if len(given) < size and shards.is_host_unknown():
        given = enough(given, size)
    if len(given) < size:
        raise ValueError(f"Number of devices {len(given)} must be >= the product of mesh_shape {axis_shapes}")
    if axis_types is None:
        axis_types = (AxisType.Explicit,) * len(axis_names)
    return Mesh(DeviceGrid(given[:size], axis_shapes), axis_names, axis_types)


_current = []


class ResourceEnv:
    """The mesh that a `with mesh:` has entered."""

    def __init__(self, physical_mesh):
        self.physical_mesh = physical_mesh

    def __repr__(self):
        return f"ResourceEnv(mesh={self.physical_mesh})"


class _ThreadResources:
    """The innermost `with mesh:`; `jax.set_mesh` is no part of it. Older libraries read it."""

    def __init__(self):
        self.entered = []

    @property
    def env(self):
        return ResourceEnv(self.entered[-1] if self.entered else Mesh(DeviceGrid([], ()), ()))


thread_resources = _ThreadResources()


class set_mesh:
    """Makes a mesh the current one: for good, or as a context manager."""

    def __init__(self, mesh):
        _current.append(mesh)

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        _current.pop()
        return False


class use_abstract_mesh:
    """Makes a mesh without devices the current one, inside of a `with`."""

    def __init__(self, mesh):
        if not isinstance(mesh, AbstractMesh):
            raise ValueError(f"Expected mesh of type `jax.sharding.AbstractMesh`. Got type: {type(mesh)}")
        self.mesh = mesh

    def __enter__(self):
        before = get_abstract_mesh()
        if before.axis_names and self.mesh.axis_names and before.size != self.mesh.size:
            raise ValueError(
                f"use_abstract_mesh cannot change the size of the mesh. Got new mesh: {self.mesh} with "
                f"size={self.mesh.size} and prev mesh: {before} with size={before.size}"
            )
        _current.append(self.mesh)

    def __exit__(self, *exception):
        _current.pop()
        return False


def get_mesh():
    concrete = [mesh for mesh in _current if isinstance(mesh, Mesh)]
    return concrete[-1] if concrete else Mesh(DeviceGrid([], ()), ())


def get_abstract_mesh():
    return (_current[-1] if _current else get_mesh()).abstract_mesh

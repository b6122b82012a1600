"""What each device has of an array: `addressable_shards` and its kin."""

import itertools

from jax._src import shards
from jax._src.mesh import Mesh
from jax._src.shardings import SingleDeviceSharding, names


class Shard:
    """What a device has of an array: which part, and the part itself."""

    __module__ = "jax._src.array"

    def __init__(self, device, index, replica_id, data):
        self.device = device
        self.index = index
        self.replica_id = replica_id
        self.data = data

    def __repr__(self):
        return (
            f"Shard(device={self.device!r}, index={self.index}, replica_id={self.replica_id}, data={self.data})"
        )


def _part(entry, mesh, place, extent):
    """Which part of a dimension of this extent the device at `place` has."""
    number, count = 0, 1
    for name in names(entry):
        size = mesh.shape[name]
        number, count = number * size + place[name], count * size
    if count == 1:
        return slice(None)
    extent //= count
    return slice(number * extent, (number + 1) * extent)


def of(x):
    """The parts of an array, device by device in the order of its mesh."""
    sharding = x.sharding
    mesh = getattr(sharding, "mesh", None)
    if not isinstance(mesh, Mesh):
        (device,) = sharding.device_set
        return [Shard(device, (slice(None),) * x.ndim, 0, x)]
    copies, differing = shards.copies(x) or (x, ())
    entries = [*sharding.spec, *[None] * (x.ndim - len(sharding.spec))]
    seen, found = {}, []
    places = itertools.product(*(range(size) for size in mesh.axis_sizes))
    for device, numbers in zip(mesh.devices.flat, places):
        place = dict(zip(mesh.axis_names, numbers))
        index = tuple(_part(entry, mesh, place, extent) for entry, extent in zip(entries, x.shape))
        key = tuple((part.start, part.stop) for part in index)
        replica = seen[key] = seen.get(key, -1) + 1
        data = copies[tuple(place[name] for name in differing) + index]
        found.append(Shard(device, index, replica, shards.remember(data, SingleDeviceSharding(device))))
    return found


def data(x, index):
    """What the device with this number has; of arrays that all have, the first one's."""
    return x if x.sharding.is_fully_replicated else of(x)[index].data

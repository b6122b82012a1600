"""How arrays lie on devices: what programs say about it, and what arrays answer when they are asked."""

import math

from jax._src import shards
from jax._src.mesh import Mesh


class _Unconstrained:
    def __repr__(self):
        return "UNCONSTRAINED"


def _partition(entry):
    if isinstance(entry, (tuple, list)):
        if not entry:
            return None
        return entry[0] if len(entry) == 1 else tuple(entry)
    return entry


class PartitionSpec:
    """For each dimension of an array the mesh axes that divide it."""

    __module__ = "jax"
    __qualname__ = "P"

    UNCONSTRAINED = _Unconstrained()

    def __init__(self, *partitions, unreduced=frozenset(), reduced=frozenset()):
        self._partitions = tuple(_partition(entry) for entry in partitions)
        self.unreduced = frozenset(unreduced)
        self.reduced = frozenset(reduced)

    def _key(self):
        return (self._partitions, self.unreduced, self.reduced)

    def __eq__(self, other):
        return isinstance(other, PartitionSpec) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __len__(self):
        return len(self._partitions)

    def __iter__(self):
        return iter(self._partitions)

    def __getitem__(self, key):
        return self._partitions[key]

    def __add__(self, other):
        return PartitionSpec(*self._partitions, *other)

    def __radd__(self, other):
        return PartitionSpec(*other, *self._partitions)

    def __repr__(self):
        if not (self.unreduced or self.reduced):
            return f"P{self._partitions!r}"
        parts = [repr(entry) for entry in self._partitions]
        for name, axes in (("unreduced", self.unreduced), ("reduced", self.reduced)):
            if axes:
                parts.append(f"{name}={set(axes)!r}")
        return f"P({', '.join(parts)})"

    def update(self, partitions=None):
        return PartitionSpec(*(self._partitions if partitions is None else partitions))


P = PartitionSpec


def names(entry):
    """The axes of one entry of a spec."""
    if entry is None or entry is PartitionSpec.UNCONSTRAINED:
        return ()
    return entry if isinstance(entry, tuple) else (entry,)


class DuplicateSpecError(Exception):
    __module__ = "jax._src.named_sharding"


class IndivisibleError(ValueError):
    pass


class Sharding:
    """How an array lies on devices."""

    memory_kind = "device"

    @property
    def num_devices(self):
        return len(self.device_set)

    @property
    def addressable_devices(self):
        return self.device_set

    is_fully_addressable = True


class NamedSharding(Sharding):
    """An array divided along the axes of a mesh."""

    __module__ = "jax.sharding"

    def __init__(self, mesh, spec, memory_kind=None):
        seen = set()
        for entry in spec:
            for name in names(entry):
                if name not in mesh.axis_names:
                    raise ValueError(f"Resource axis: {name} of {spec} is not found in mesh: {mesh.axis_names}.")
                if name in seen:
                    raise DuplicateSpecError(
                        "A single NamedSharding spec specification can map every mesh axis to at most one positional "
                        f"dimension, but {spec} has duplicate entries for `{name}`"
                    )
                seen.add(name)
        self.mesh = mesh
        self.spec = spec
        if memory_kind is not None:
            self.memory_kind = memory_kind

    @property
    def device_set(self):
        return set(self.mesh.devices.flat)

    @property
    def is_fully_replicated(self):
        return all(self.mesh.shape[name] == 1 for entry in self.spec for name in names(entry))

    def parts(self, rank):
        """For each dimension the number of its parts."""
        entries = [*self.spec, *[None] * (rank - len(self.spec))]
        return [math.prod(self.mesh.shape[name] for name in names(entry)) for entry in entries]

    def shard_shape(self, shape):
        return tuple(extent // part for extent, part in zip(shape, self.parts(len(shape))))

    def check(self, shape, function):
        """Refuses shapes that cannot be divided so."""
        if len(shape) < len(self.spec):
            raise ValueError(
                f"One of {function} is incompatible with its sharding annotation {self}: Sharding {self} is only valid "
                f"for values of rank at least {len(self.spec)}, but was applied to a value of rank {len(shape)}."
            )
        parts = self.parts(len(shape))
        for axis, (extent, part) in enumerate(zip(shape, parts)):
            if extent % part:
                raise IndivisibleError(
                    f"Sharding {self} implies that array axis {axis} is partitioned {part} times, but the dimension "
                    f"size is {extent} (full shape: {tuple(shape)}, per-dimension tiling factors: {parts} should evenly "
                    "divide the shape)"
                )

    def __eq__(self, other):
        return isinstance(other, NamedSharding) and (self.mesh, self.spec) == (other.mesh, other.spec)

    def __hash__(self):
        return hash((self.mesh, self.spec))

    def __repr__(self):
        return f"NamedSharding(mesh={self.mesh!s}, spec={self.spec!r}, memory_kind={self.memory_kind})"


class SingleDeviceSharding(Sharding):
    """A whole array on one device."""

    __module__ = "jax.sharding"

    is_fully_replicated = True

    def __init__(self, device, *, memory_kind=None):
        self._device = device

    @property
    def device_set(self):
        return {self._device}

    def shard_shape(self, shape):
        return tuple(shape)

    def check(self, shape, function):
        pass

    def __eq__(self, other):
        return isinstance(other, SingleDeviceSharding) and self._device == other._device

    def __hash__(self):
        return hash(self._device)

    def __repr__(self):
        return f"SingleDeviceSharding(device={self._device!r}, memory_kind={self.memory_kind})"


def default():
    """Where arrays lie that nobody put anywhere."""
    import jax

    return SingleDeviceSharding(jax.devices()[0])


def placed(x, device, function="device_put args"):
    """The arrays of a pytree where they are asked to be. Their values do not change."""
    import jax

    from jax._src.mesh import get_mesh

    def place(leaf, to):
        if to is None:
            return leaf
        if isinstance(to, PartitionSpec):
            to = NamedSharding(get_mesh(), to)
        if not isinstance(to, Sharding):
            to = SingleDeviceSharding(to)
        to.check(leaf.shape, function)
        return shards.remember(leaf, to)

    leaves, tree = jax.tree.flatten(x)
    if device is None or isinstance(device, (PartitionSpec, Sharding)) or shards.is_device(device):
        wanted = [device] * len(leaves)
    else:
        wanted = _prefix(device, x)
    return jax.tree.unflatten(tree, [place(leaf, to) for leaf, to in zip(leaves, wanted)])


def _prefix(prefix, tree):
    """The leaves of a tree prefix, as often as `tree` has leaves below each."""
    import jax

    wanted = []
    is_leaf = lambda node: node is None or isinstance(node, (PartitionSpec, Sharding))
    jax.tree.map(
        lambda to, below: wanted.extend([to] * len(jax.tree.leaves(below))), prefix, tree, is_leaf=is_leaf
    )
    return wanted


def with_sharding_constraint(x, shardings):
    return placed(shards.arrays(x), shardings, "with_sharding_constraint arguments")


def reshard(x, out_shardings):
    return placed(shards.arrays(x), out_shardings, "reshard args")


def make_single_device_sharding(device, *, memory_kind=None):
    return SingleDeviceSharding(device)

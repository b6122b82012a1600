"""`pltpu.create_tensorcore_mesh`: the TensorCores of a chip as a mesh of one axis."""
import collections
import dataclasses

import jax
import numpy as np


@dataclasses.dataclass(frozen=True)
class TensorCore:
    id: int


class TensorCoreMesh:
    """A mesh of TensorCores."""

    __module__ = "jax._src.pallas.mosaic.core"

    def __init__(self, devices=None, axis_names=None, *, axis_name=None, num_cores=None):
        # Since 0.11 a mesh is made from one name and a number.
        if isinstance(devices, str):
            axis_name, num_cores, devices = devices, axis_names, None
        if devices is None:
            devices, axis_names = _Cores(_default_number() if num_cores is None else num_cores), (axis_name,)
        self.devices = devices if hasattr(devices, "shape") else np.array(devices)
        self.axis_names = tuple(axis_names)

    @property
    def axis_name(self):
        return self.axis_names[0]

    @property
    def num_cores(self):
        return self.devices.size

    @property
    def shape(self):
        return collections.OrderedDict(zip(self.axis_names, self.devices.shape))

    @property
    def size(self):
        return self.devices.size

    def __eq__(self, other):
        return isinstance(other, TensorCoreMesh) and self.shape == other.shape

    def __repr__(self):
        cores = ", ".join(repr(self.devices[i]) for i in range(self.size))
        return f"TensorCoreMesh(devices=array([{cores}], dtype=object), axis_names={self.axis_names!r})"

    def __hash__(self):
        return hash((self.axis_names, tuple(self.devices.shape)))


class _Cores:
    """What numpy would make of a list of cores."""

    def __init__(self, count):
        self.cores = [TensorCore(i) for i in range(count)]
        self.shape = (count,)
        self.size = count

    def __len__(self):
        return len(self.cores)

    def __getitem__(self, index):
        return self.cores[index]


def _default_number():
    abstract_device = jax.sharding.get_abstract_mesh().abstract_device
    device = jax.devices()[0] if abstract_device is None else abstract_device
    # Devices that are no TPU have none to say, abstract ones say so.
    return getattr(device, "num_cores", 1) or 1


def create_tensorcore_mesh(axis_name, devices=None, num_cores=None):
    if devices is not None and num_cores is not None:
        raise ValueError("cannot specify both devices and num_cores")
    if num_cores is None:
        num_cores = _default_number() if devices is None else getattr(devices[0], "num_cores", 1)
    return TensorCoreMesh(_Cores(num_cores), [axis_name])


def tensorcore_mesh(devices, axis_names):
    return TensorCoreMesh(devices if hasattr(devices, "shape") else _Cores(len(devices)), axis_names)


def run_on_first_core(core_axis_name):
    num_cores = jax.lax.axis_size(core_axis_name)
    if num_cores == 1:
        return lambda f: f()

    def wrapped(f):
        from jax.experimental import pallas as pl

        pl.when(jax.lax.axis_index(core_axis_name) == 0)(lambda: f())

    return wrapped


def core_barrier(sem, *, core_axis_name):
    from jax.experimental import pallas as pl

    num_cores = jax.lax.axis_size(core_axis_name)
    core_id = jax.lax.axis_index(core_axis_name)
    if num_cores == 1:
        return
    for i in range(num_cores):

        @pl.when(core_id != i)
        def _():
            pl.semaphore_signal(sem, 1, core_index=i)

    pl.semaphore_wait(sem, num_cores - 1)

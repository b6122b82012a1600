"""Mosaic GPU: kernels over blocks, clusters and threads; what they allocate, how it lies in memory, and layouts of arrays.

How memory and registers are laid out changes no values: such things are kept to be asked for, and checked where JAX
checks them while it traces.
"""
import collections
import dataclasses
import enum
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu import staging
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

_MODULE = "jax._src.pallas.mosaic_gpu.core"


class _Unset:
    def __repr__(self):
        return "NotSpecified()"


_unset = _Unset()


MemorySpace = plgpu.MemorySpace


class TraceScope(enum.Enum):
    WARP = "warp"
    WARPGROUP = "warpgroup"


class LoweringSemantics(enum.Enum):
    Lane = 1
    Warpgroup = 2


class OOBFillMode(enum.IntEnum):
    UNDEFINED = 0
    PROMISE_IN_BOUNDS = 1
    ZEROS = 2


class CopyPartition:
    """How the blocks of a cluster share a copy."""


@dataclasses.dataclass(frozen=True)
class _Partitioned(CopyPartition):
    axis: int


@dataclasses.dataclass(frozen=True)
class _Replicated(CopyPartition):
    pass


CopyPartition.PARTITIONED = _Partitioned
CopyPartition.REPLICATED = _Replicated()


# What kernels allocate.


def _count(instance):
    if instance.num_arrivals < 1:
        raise ValueError(f"Num arrivals must be at least 1, but got {instance.num_arrivals}")
    shape = instance.num_barriers
    object.__setattr__(instance, "num_barriers", (shape,) if isinstance(shape, int) else tuple(shape))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Barrier:
    """Barriers of a block."""

    num_arrivals: int = 1
    num_barriers: object = 1
    orders_tensor_core: bool = False

    def __post_init__(self):
        _count(self)

    @property
    def _memory_request(self):
        return staging.barriers(self.num_barriers, self.num_arrivals, self.orders_tensor_core, ())

    def get_array_aval(self):
        raise ValueError("Barriers are not arrays")


@dataclasses.dataclass(frozen=True, kw_only=True)
class ClusterBarrier:
    """Barriers that the blocks of a cluster arrive at together."""

    collective_axes: tuple
    num_barriers: object = 1
    num_arrivals: int = 1
    orders_tensor_core: bool = False
    leader_tracked: bool = False

    def __post_init__(self):
        _count(self)

    @property
    def _memory_request(self):
        across = (self.collective_axes,) if isinstance(self.collective_axes, str) else tuple(self.collective_axes)
        if self.leader_tracked and len(across) != 1:
            raise NotImplementedError("Only leader tracking for a single collective dimension is supported.")
        if self.leader_tracked and not isinstance(across[0], str):
            raise NotImplementedError("Only leader tracking for ungrouped collective dimensions is supported.")
        return staging.barriers(
            self.num_barriers, self.num_arrivals, self.orders_tensor_core, across, self.leader_tracked
        )

    def get_array_aval(self):
        raise ValueError("Cluster barriers are not arrays")


@dataclasses.dataclass(frozen=True)
class WGMMAAccumulatorRef:
    """Registers that a warpgroup accumulates products in."""

    shape: tuple
    dtype: object = jnp.float32
    _init: object = None

    @property
    def _memory_request(self):
        return staging.memory(plgpu.MemorySpace.REGS, self.shape, self.dtype)

    @staticmethod
    def init(array):
        return WGMMAAccumulatorRef(array.shape, array.dtype, array)


ACC = WGMMAAccumulatorRef


class RefUnion(tuple):
    """Groups of Refs that lie in the same memory, one group at a time: here each has memory of its own."""

    def __new__(cls, *refs):
        spaces = {str(getattr(ref, "memory_space", None)) for ref in jax.tree.leaves(refs)}
        if len(spaces) > 1 or not spaces <= {"smem", "tmem"}:
            raise NotImplementedError("All aliased Refs must have the same memory space (SMEM or TMEM).")
        sizes = [sum(map(_bytes, jax.tree.leaves(group))) for group in refs]
        largest = sizes.index(max(sizes)) if sizes else 0
        return tuple(
            jax.tree.map(lambda ref, first=number == largest: staging.overlaid(ref, first), group)
            for number, group in enumerate(refs)
        )


def _bytes(request):
    return math.prod(getattr(request, "shape", ())) * jnp.dtype(getattr(request, "dtype", jnp.int8)).itemsize


def TryClusterCancelResult(num_buffers=None):
    return plgpu.SMEM((16,) if num_buffers is None else (num_buffers, 16), jnp.int8)


# How Refs lie in memory.


class Transform:
    """How a Ref lies in memory, or which memory it is."""


@dataclasses.dataclass(frozen=True)
class TilingTransform(Transform):
    tiling: tuple

    def undo(self, _):
        return UntilingTransform(self.tiling)


@dataclasses.dataclass(frozen=True)
class UntilingTransform(Transform):
    tiling: tuple


@dataclasses.dataclass(frozen=True)
class SwizzleTransform(Transform):
    swizzle: int

    def __post_init__(self):
        if self.swizzle not in {32, 64, 128}:
            raise ValueError(
                f"Swizzle {self.swizzle} is not supported. Only 32, 64 and 128 are accepted."
            )

    def undo(self, _):
        return UnswizzleRef(self.swizzle)


@dataclasses.dataclass(frozen=True)
class UnswizzleRef(Transform):
    swizzle: int


@dataclasses.dataclass
class PeerMemRef(Transform):
    device_id: object
    device_id_type: object


@dataclasses.dataclass(frozen=True)
class RefType:
    """The type of a Ref that `inline_mgpu` takes."""

    transforms: tuple = ()


def _check_ref(ref):
    if not isinstance(ref, jax.Ref):
        raise TypeError("ref must be a reference")


def transform_ref(ref, transform):
    _check_ref(ref)
    if isinstance(transform, PeerMemRef):
        return remote_ref(ref, transform.device_id, transform.device_id_type)
    return ref


def transpose_ref(ref, permutation):
    if ref.memory_space == plgpu.MemorySpace.TMEM:
        raise ValueError("Can't transpose a TMEM reference.")
    return staging.transposed(ref, permutation)


def remote_ref(ref, device_id, device_id_type=pl.DeviceIdType.MESH):
    _check_ref(ref)
    attributes = {"what": "device", "device": device_id_type.value}
    if isinstance(device_id, dict):
        attributes["names"] = ",".join(map(str, device_id))
        device_id = tuple(device_id.values())
    ids = tuple(device_id) if isinstance(device_id, (tuple, list)) else (device_id,)
    return staging.stage("reach", (ref, *(jnp.asarray(i, jnp.int32) for i in ids)), attributes)[0]


def cluster_ref(ref, block_id):
    _check_ref(ref)
    attributes = {"what": "cluster", "axes": staging.grid_axes(tuple(block_id))}
    ids = (jnp.asarray(i, jnp.int32) for i in block_id.values())
    return staging.stage("reach", (ref, *ids), attributes)[0]


def multicast_ref(ref, collective_axes):
    _check_ref(ref)
    axes = collective_axes if isinstance(collective_axes, tuple) else (collective_axes,)
    return staging.stage("reach", (ref,), {"what": "devices", "names": ",".join(map(str, axes))})[0]


# Layouts of arrays in registers and of tensor memory: names that are compared and passed on.


class SomeLayout:
    def reduce(self, axes):
        return ReducedLayout(self, (axes,) if isinstance(axes, int) else tuple(axes))


@dataclasses.dataclass(frozen=True)
class ParameterizedLayout(SomeLayout):
    layout_cls: object
    args: tuple
    kwargs: tuple

    def to_mgpu(self, *args, **kwargs):
        if args or kwargs:
            raise ValueError(f"Can't instantiate {self} with arguments.")
        return self


@dataclasses.dataclass(frozen=True)
class ReducedLayout(SomeLayout):
    layout: object
    axes: tuple

    def to_mgpu(self, *args, **kwargs):
        if args or kwargs:
            raise ValueError(f"Can't instantiate {self} with arguments.")
        return self


class _Named(SomeLayout):
    def __call__(self, *args, **kwargs):
        return ParameterizedLayout(self, tuple(args), tuple(sorted(kwargs.items())))

    def to_mgpu(self, *args, **kwargs):
        return self(*args, **kwargs) if args or kwargs else self


class Layout(_Named, enum.Enum):
    WGMMA = 1
    WGMMA_8BIT = 2
    WGMMA_UPCAST_2X = 3
    WGMMA_UPCAST_4X = 4
    WGMMA_TRANSPOSED = 5
    WG_SPLAT = 6
    WG_STRIDED = 7
    TILED = 8
    TCGEN05 = 9
    TCGEN05_TRANSPOSED = 10
    TCGEN05_M64_COLLECTIVE = 11
    TCGEN05_TMEM_NATIVE = 12
    TCGEN05_M64_COLLECTIVE_NATIVE = 13
    SMEM_GMEM_COPY = 14
    TMA_INDICES = 15
    TMA_INDICES_4 = 16
    _WGMMA_ACC_32BIT = 17


class TMEMLayout(_Named, enum.Enum):
    SCALES_LAYOUT = 1
    SPARSE_METADATA_LAYOUT = 2
    M64_COLLECTIVE_LAYOUT = 3
    SCALES_M64_COLLECTIVE_LAYOUT = 4


@dataclasses.dataclass(frozen=True)
class Tiling:
    tiles: tuple


@dataclasses.dataclass(frozen=True)
class Replicated:
    times: int


def layout_cast(x, new_layout):
    return x


# Meshes and launches.


def _extents(mesh):
    pairs = [*zip(mesh.grid_names, mesh.grid), *zip(mesh.cluster_names, mesh.cluster)]
    if mesh.num_threads is not None:
        pairs.append((mesh.thread_name, mesh.num_threads))
    return collections.OrderedDict(pairs)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mesh:
    """The blocks of a grid, in clusters, with their threads (warpgroups)."""

    grid: tuple = ()
    grid_names: tuple = ()
    cluster: tuple = ()
    cluster_names: tuple = ()
    num_threads: int = None
    thread_name: str = None
    kernel_name: str = None

    def __post_init__(self):
        if len(self.cluster) > 3:
            raise ValueError(f"cluster= must be at most 3D, got {self}.")
        if len(self.grid_names) != len(self.grid):
            raise ValueError(f"grid_names must have the same length as grid, got {self}.")
        if len(self.cluster_names) != len(self.cluster):
            raise ValueError(f"cluster_names must have the same length as cluster, got {self}.")
        if (self.thread_name is None) != (self.num_threads is None):
            raise ValueError(f"num_threads and thread_name must be either both set or both None, got {self}")
        if self.num_threads is not None and self.num_threads > 2048 // 128:
            raise ValueError(
                "Requested too many CUDA threads per block. Each Mosaic thread corresponds to 128 CUDA threads. At most"
                f" {2048 // 128} are supported, got {self}"
            )
        for name in ("grid", "grid_names", "cluster", "cluster_names"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def shape(self):
        return _extents(self)


@dataclasses.dataclass(frozen=True, kw_only=True)
class WarpMesh:
    """The four warps of a warpgroup."""

    axis_name: object

    @property
    def shape(self):
        return collections.OrderedDict([(self.axis_name, 4)])


def kernel(
    body=_unset,
    out_shape=_unset,
    *,
    out_type=_unset,
    scratch_types=_unset,
    scratch_shapes=_unset,
    compiler_params=None,
    grid=(),
    grid_names=(),
    cluster=(),
    cluster_names=(),
    num_threads=None,
    thread_name=None,
    interpret=None,
    **mesh_kwargs,
):
    if out_shape is not _unset:
        if out_type is not _unset:
            raise ValueError("Cannot specify both out_shape and out_type. Use out_type.")
        out_type = out_shape
    if scratch_shapes is not _unset:
        if scratch_types is not _unset:
            raise ValueError("Cannot specify both scratch_shapes and scratch_types. Use scratch_types.")
        scratch_types = scratch_shapes
    out_type = () if out_type is _unset else out_type
    scratch_types = () if scratch_types is _unset else scratch_types
    mesh = Mesh(
        grid=grid,
        grid_names=grid_names,
        cluster=cluster,
        cluster_names=cluster_names,
        num_threads=num_threads,
        thread_name=thread_name,
        **mesh_kwargs,
    )
    if isinstance(out_type, list):
        out_type = tuple(out_type)

    def launcher(function):
        return staging.launcher(
            function,
            out_type,
            scratch_types,
            tuple((str(name), extent) for name, extent in _extents(mesh).items()),
            len(mesh.cluster),
            0 if num_threads is None else 1,
            interpret,
            mesh.kernel_name,
            compiler_params,
        )

    return launcher if body is _unset else launcher(body)

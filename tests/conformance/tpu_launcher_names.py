"""What launchers of TPU kernels name: memory spaces, semantics, compiler parameters, chips, block dimensions."""
import dataclasses
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plt


def t(f):
    try:
        r = f()
        print(type(r).__name__, r, repr(r))
    except Exception as e:
        print(type(e).__name__, str(e)[:300])


for space in (pltpu.VMEM, pltpu.SMEM, pltpu.HBM, pltpu.CMEM, pltpu.VMEM_SHARED, pltpu.SEMAPHORE, pl.ANY, pl.HOST):
    t(lambda: space)
    t(lambda: (space.name, space.value))
t(lambda: pltpu.VMEM((8, 128), jnp.float32))
t(lambda: pl.ANY((8,), jnp.int32))
t(lambda: pltpu.VMEM((8, 128), jnp.bfloat16).shape)
t(lambda: pltpu.VMEM((8, 128), jnp.bfloat16).inner_aval)
t(lambda: pltpu.VMEM((8,), jnp.int8) == pltpu.VMEM((8,), jnp.int8))
t(lambda: pltpu.VMEM((8,), jnp.int8) == pltpu.SMEM((8,), jnp.int8))
t(lambda: pltpu.MemorySpace("vmem"))
t(lambda: pl.MemorySpace("any"))
t(lambda: pltpu.MemorySpace("foo"))
t(lambda: isinstance(pltpu.VMEM, pltpu.MemorySpace))
t(lambda: isinstance(pl.ANY, pltpu.MemorySpace))
t(lambda: pltpu.SemaphoreType.DMA)
t(lambda: pltpu.SemaphoreType.DMA((2,)))
t(lambda: pltpu.SemaphoreType.REGULAR(()))
t(lambda: pltpu.SemaphoreType.DMA((2, 3)).shape)
for member in (pltpu.PARALLEL, pltpu.ARBITRARY, pltpu.CORE_PARALLEL, pltpu.SUBCORE_PARALLEL, pltpu.CoreType.TC,
               pltpu.SideEffectType.PURE, pltpu.BufferType.INPUT, pl.DeviceIdType.MESH, pl.RevisitMode.ANY,
               pltpu.Tiling.COMPACT, pltpu.ChipVersion.TPU_V5E):
    t(lambda: member)
t(lambda: [member.value for member in pltpu.GridDimensionSemantics])
t(lambda: pltpu.BufferType.INPUT_OUTPUT.is_output)
t(lambda: pltpu.Tiling.SPARSE_CORE.shape)
params = pltpu.CompilerParams(dimension_semantics=["parallel", pltpu.ARBITRARY], vmem_limit_bytes=1 << 20)
t(lambda: params)
t(lambda: dataclasses.replace(params, collective_id=3).collective_id)
t(lambda: params.replace(has_side_effects=True).has_side_effects)
t(lambda: params == pltpu.CompilerParams(dimension_semantics=("parallel", pltpu.ARBITRARY), vmem_limit_bytes=1 << 20))
t(lambda: pltpu.CompilerParams(foo=1))
t(lambda: plt.CompilerParams(num_warps=4))
t(lambda: pltpu.InterpretParams(detect_races=True))
t(lambda: pl.CostEstimate(flops=1, transcendentals=2, bytes_accessed=3))
t(lambda: pl.CostEstimate(flops=1, transcendentals=2, bytes_accessed=3).to_json())
t(lambda: pl.CostEstimate(1, 2))
for version in pltpu.ChipVersion:
    t(lambda: pltpu.get_tpu_info_for_chip(version, 1))
    t(lambda: (version.is_lite, version.supports_megacore, version.num_physical_tensor_cores_per_chip))
info = pltpu.get_tpu_info_for_chip(pltpu.ChipVersion.TPU_V5P, 2)
t(lambda: (info.is_lite, info.is_megacore, info.is_split_chip, info.sparse_core.num_subcores))
t(lambda: [info.get_sublane_tiling(d) for d in (jnp.float32, jnp.bfloat16, jnp.int8, jnp.int4)])
t(lambda: info.is_matmul_supported(jnp.bfloat16, jnp.bfloat16))
t(lambda: info.is_matmul_supported(jnp.int8, jnp.bfloat16))
t(lambda: pltpu.get_tpu_info_for_chip(pltpu.ChipVersion.TPU_V5E, 2))
t(lambda: pltpu.get_tpu_info())
t(lambda: pltpu.is_tpu_device())
for dim in (pl.BoundedSlice(8), pl.Indirect(4), pl.Element(8, (0, 2)), pl.Blocked(3), pl.Squeezed(), pl.Buffered(2),
            pl.Buffered(3, use_lookahead=True)):
    t(lambda: dim)
    t(lambda: dim == dim)
t(lambda: pl.Element(8) == pl.Element(8))
t(lambda: isinstance(pl.BoundedSlice(8), pl.BlockDim))
t(lambda: pl.BlockSpec((8, 128), memory_space=pltpu.VMEM))
t(lambda: pl.BlockSpec((8, None), pipeline_mode=pl.Buffered(2)))
t(lambda: pl.GridSpec(grid=(2,)))
t(lambda: pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(2, 3), scratch_shapes=[pltpu.VMEM((8,), jnp.int8)]))
t(lambda: pltpu.with_memory_space_constraint(jnp.ones(3), pltpu.HBM))
t(lambda: pltpu.with_memory_space_constraint(jnp.ones(3), pl.ANY))
t(lambda: pltpu.with_memory_space_constraint(jnp.ones(3), pltpu.CMEM))
t(lambda: jax.jit(lambda x: pltpu.with_memory_space_constraint(x, pltpu.HBM) + 1)(jnp.ones(3)))
t(lambda: pl.empty((2, 3), jnp.float32).shape)
t(lambda: jax.tree.map(lambda x: (x.shape, str(x.dtype)), pl.empty_like({"a": jax.ShapeDtypeStruct((2,), jnp.int8)})))
t(lambda: pl.estimate_cost(lambda x, y: jnp.exp(x @ y), jnp.ones((8, 8)), jnp.ones((8, 8))))
t(lambda: pl.estimate_cost(lambda x: x * 2 + jnp.sin(x) ** 3, jnp.ones((8, 8))))
t(lambda: pl.estimate_cost(lambda x, *, k: x ** k, jax.ShapeDtypeStruct((4, 4), jnp.bfloat16), k=5))
t(lambda: [pl.cdiv(7, 2), pl.align_to(7, 4), pl.next_power_of_2(0), pl.next_power_of_2(9)])
t(lambda: pl.cdiv(jnp.int32(7), 2))
t(lambda: pl.align_to(jnp.array([5, 8]), 4))
t(lambda: pl.next_power_of_2(-1))
t(lambda: pl.strides_from_shape((2, 3, 4)))


def run(f, *args, out):
    def kernel(*refs):
        refs[-1][...] = f(*[ref[...] for ref in refs[:-1]])

    def call():
        return pl.pallas_call(kernel, out_shape=out, interpret=True)(*args)

    t(call)


S = jax.ShapeDtypeStruct
x = jnp.arange(1, 17, dtype=jnp.float32).reshape(4, 4)
run(lambda v: pl.reciprocal(v), x, out=S((4, 4), jnp.float32))
run(lambda v: pl.reciprocal(v, approx=True), x, out=S((4, 4), jnp.float32))
run(lambda v: pltpu.roll(v, 1, 1), x, out=S((4, 4), jnp.float32))
run(lambda v: pltpu.roll(v, 1, 1, stride=1, stride_axis=0), x, out=S((4, 4), jnp.float32))
run(lambda v: pltpu.roll(v, -1, 1), x, out=S((4, 4), jnp.float32))
run(lambda v: pltpu.roll(v, 1, 2), x, out=S((4, 4), jnp.float32))
run(lambda v: pltpu.roll(v, 1, 1, stride=1), x, out=S((4, 4), jnp.float32))
run(lambda v: pltpu.bitcast(v, jnp.int32), x, out=S((4, 4), jnp.int32))
run(lambda v: pltpu.bitcast(v, jnp.bfloat16), x, out=S((8, 4), jnp.bfloat16))
run(lambda v: pltpu.bitcast(v, jnp.uint8), x, out=S((16, 4), jnp.uint8))
run(lambda v: pltpu.bitcast(pltpu.bitcast(v, jnp.uint8), jnp.float32), x, out=S((4, 4), jnp.float32))
run(lambda v: pltpu.bitcast(v[0], jnp.int32), x, out=S((4,), jnp.int32))

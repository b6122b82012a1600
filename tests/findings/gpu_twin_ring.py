# The broken twin of samples/33: the neighbour is told of a part that may still be on its way.
# jax: not run
# found by a run, and before
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.sharding import PartitionSpec as P

DEVICES = 4
TILE_K = 64


def kernel(lhs_gmem, rhs_gmem, out_gmem, parts_gmem, out_smem, come):
  me = lax.axis_index("x")
  neighbour = lax.rem(me + DEVICES - 1, DEVICES)
  neighbour_parts = plgpu.remote_ref(parts_gmem, neighbour)
  rows, depth = lhs_gmem.shape

  def multiply(part, source, sends):
    def accumulate(acc):
      def step(indices, a_smem, b_smem):
        (k,) = indices
        plgpu.wgmma(acc, a_smem, b_smem)
        if sends:
          there = neighbour_parts.at[part].at[:, pl.ds(k * TILE_K, TILE_K)]
          plgpu.copy_smem_to_gmem(a_smem, there)
          # The tile of the step before has been read: its slot is released.
          plgpu.wait_smem_to_gmem(1, wait_read_only=True)
        plgpu.wgmma_wait(1)

      plgpu.emit_pipeline(
#     ^ PL410 error "this copy, which reads parts_gmem of device"
          step,
          grid=(depth // TILE_K,),
          in_specs=[
              plgpu.BlockSpec((rows, TILE_K), lambda k: (0, k), delay_release=1),
              plgpu.BlockSpec((TILE_K, rhs_gmem.shape[1]), lambda k: (k, 0), delay_release=1),
          ],
          max_concurrent_steps=3,
      )(source, rhs_gmem)
      return acc[...]

    product = pl.run_scoped(accumulate, plgpu.ACC((rows, rhs_gmem.shape[1]), jnp.float32))
    if sends:
      pl.semaphore_signal(come, device_id=neighbour)
    plgpu.wait_smem_to_gmem(0)
    out_smem[...] = product.astype(out_smem.dtype)
    plgpu.commit_smem()
    owner = lax.rem(me + part, DEVICES)
    plgpu.copy_smem_to_gmem(out_smem, out_gmem.at[pl.ds(owner * rows, rows)])

  multiply(0, lhs_gmem, sends=True)
  for part in range(1, DEVICES):
    pl.semaphore_wait(come, value=part, decrement=False)
    multiply(part, parts_gmem.at[part - 1], sends=part + 1 < DEVICES)
  plgpu.wait_smem_to_gmem(0)


def all_gather_matmul(lhs, rhs):
  (rows, depth), columns = lhs.shape, rhs.shape[1]
  out, _ = plgpu.kernel(
      kernel,
      out_type=[
          jax.ShapeDtypeStruct((DEVICES * rows, columns), lhs.dtype),
          jax.ShapeDtypeStruct((DEVICES - 1, rows, depth), lhs.dtype),
      ],
      scratch_types=[
          plgpu.SMEM((rows, columns), lhs.dtype),
          plgpu.SemaphoreType.REGULAR,
      ],
      interpret=InterpretGPUParams(),
  )(lhs, rhs)
  return out


mesh = jax.sharding.Mesh(np.array(jax.devices()[:DEVICES]), ("x",))
lhs = jax.random.normal(jax.random.key(0), (DEVICES * 64, 192)).astype(jnp.float16)
rhs = jax.random.normal(jax.random.key(1), (192, DEVICES * 64)).astype(jnp.float16)
product = jax.jit(
    jax.shard_map(
        all_gather_matmul,
        mesh=mesh,
        in_specs=(P("x", None), P(None, "x")),
        out_specs=P(None, "x"),
        check_vma=False,
    )
)(lhs, rhs)
print(product.shape)

"""Sums in tensor memory of which only the data says whether they begin at zero."""

import jax
import jax.numpy as jnp
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILE = 128


def kernel(flag_gmem, a_gmem, b_gmem, o_gmem, a_smem, b_smem, o_smem, acc, arrived, done):
  plgpu.copy_gmem_to_smem(a_gmem, a_smem, arrived)
  plgpu.copy_gmem_to_smem(b_gmem, b_smem, arrived)
  plgpu.barrier_wait(arrived)
  plgpu.tcgen05_mma(acc, a_smem, b_smem, accumulate=flag_gmem[0] > 0)
  plgpu.tcgen05_commit_arrive(done)
  plgpu.barrier_wait(done)
  o_smem[...] = plgpu.async_load_tmem(acc).astype(o_smem.dtype)
  plgpu.commit_smem()
  plgpu.copy_smem_to_gmem(o_smem, o_gmem)  # PL203
  plgpu.wait_smem_to_gmem(0)


def matmul(flag, a, b):
  tile = plgpu.SMEM((TILE, TILE), a.dtype)
  return plgpu.kernel(
      kernel,
      out_type=jax.ShapeDtypeStruct((TILE, TILE), a.dtype),
      scratch_types=[
          tile,
          tile,
          tile,
          plgpu.TMEM((TILE, TILE), jnp.float32),
          plgpu.Barrier(num_arrivals=2),
          plgpu.Barrier(orders_tensor_core=True),
      ],
      interpret=InterpretGPUParams(),
  )(jnp.full((1,), flag, jnp.int32), a, b)


a = jnp.ones((TILE, TILE), jnp.float16)
print(matmul(1, a, a).shape)

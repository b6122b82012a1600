# The broken twin of samples/28: the next product begins before both blocks have read, or even seen that it is done.
# jax: not run
# found by a run, and before
import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS, COLUMNS, ROUNDS = 128, 128, 3


def kernel(a_gmem, b_gmem, o_gmem, a_smem, b_smem, acc_tmem, a_arrived, b_arrived, multiplied, met):
    block = lax.axis_index("cluster")
    rows = pl.ds(block * ROWS, ROWS)
    plgpu.copy_gmem_to_smem(a_gmem.at[rows], a_smem, a_arrived)
    plgpu.barrier_wait(a_arrived)
    half = pl.ds(block * (COLUMNS // 2), COLUMNS // 2)
    plgpu.copy_gmem_to_smem(b_gmem.at[:, half], b_smem, b_arrived)
    plgpu.barrier_wait(b_arrived)
    plgpu.barrier_arrive(met)
    plgpu.barrier_wait(met)

    @pl.loop(0, ROUNDS)
    def _(turn):
        @pl.when(block == 0)
        def _():
            plgpu.tcgen05_mma(acc_tmem, a_smem, b_smem, multiplied, accumulate=False, collective_axis="cluster")
#           ^ PL414 error "completed again before previous completion was observed"

        plgpu.barrier_wait(multiplied)
        o_gmem[turn, rows] = plgpu.async_load_tmem(acc_tmem)
        plgpu.wait_load_tmem()


a, b = jnp.ones((2 * ROWS, 64), jnp.float16), jnp.ones((64, COLUMNS), jnp.float16)
scratch = [
    plgpu.SMEM((ROWS, 64), a.dtype),
    plgpu.SMEM((64, COLUMNS // 2), b.dtype),
    plgpu.TMEM((ROWS, COLUMNS), jnp.float32, collective=True),
    plgpu.Barrier(),
    plgpu.Barrier(),
    plgpu.Barrier(orders_tensor_core=True),
    plgpu.ClusterBarrier(collective_axes=("cluster",), orders_tensor_core=True),
]
out = jax.ShapeDtypeStruct((ROUNDS, 2 * ROWS, COLUMNS), jnp.float32)
interpret = InterpretGPUParams()
launch = plgpu.kernel(
    kernel, out_type=out, scratch_types=scratch, cluster=(2,), cluster_names=("cluster",), interpret=interpret
)
print(launch(a, b).shape)

# The broken twin of samples/27: the callback's copy may still read a slot that the pipeline gives back at once.
# jax: runs
# found by a run, and before
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

TILE = 64


def kernel(a_gmem, sent_gmem):
    m = lax.axis_index("m")

    def step(indices, a_smem):
        (k,) = indices
        plgpu.copy_smem_to_gmem(a_smem, sent_gmem.at[pl.ds(m * TILE, TILE), pl.ds(k * TILE, TILE)])
        plgpu.wait_smem_to_gmem(1, wait_read_only=True)

    plgpu.emit_pipeline(
#   ^ PL415 error "wait for the copy before"
        step,
        grid=(a_gmem.shape[1] // TILE,),
        in_specs=[plgpu.BlockSpec((TILE, TILE), lambda k: (m, k))],
        max_concurrent_steps=2,
    )(a_gmem)
    plgpu.wait_smem_to_gmem(0)


a = jnp.ones((128, 512), jnp.float16)
interpret = InterpretGPUParams()
print(plgpu.kernel(kernel, out_type=a, grid=(2,), grid_names=("m",), interpret=interpret)(a).shape)

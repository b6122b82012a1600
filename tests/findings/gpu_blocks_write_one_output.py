# Every block of the grid adds to the same elements.
# jax: runs
# found by a run, and before
import jax
import jax.numpy as jnp
from jax import lax
from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(x_gmem, o_gmem):
    i = lax.axis_index("i")
    o_gmem[...] += x_gmem[i]
#   ^ PL410 error "this write to o_gmem races with the same of another program"
#   ^ PL410 error "this read of o_gmem races with a write to it"
#   ^ PL125 error "passes values along grid axis 0"


x = jnp.ones((4, 128), jnp.float32)
out = jax.ShapeDtypeStruct((128,), jnp.float32)
launch = plgpu.kernel(kernel, out_type=out, grid=(4,), grid_names=("i",), interpret=InterpretGPUParams())
print(launch(x).shape)

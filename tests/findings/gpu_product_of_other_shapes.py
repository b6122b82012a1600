# The factors of a product do not fit.
# jax: ValueError
import jax
import jax.numpy as jnp
from jax.experimental.pallas import mosaic_gpu as plgpu


def kernel(a_gmem, o_gmem, a_smem, b_smem, acc):
    plgpu.wgmma(acc, a_smem, b_smem)
#   ^ PL303 error "Incompatible shapes for matrix multiplication"


x = jax.ShapeDtypeStruct((64, 64), jnp.float16)
scratch = [plgpu.SMEM((64, 64), jnp.float16), plgpu.SMEM((32, 64), jnp.float16), plgpu.ACC((64, 64))]
jax.eval_shape(plgpu.kernel(kernel, out_type=x, scratch_types=scratch), x)

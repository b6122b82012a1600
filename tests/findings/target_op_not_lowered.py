# Operations that a compiler does not have. Exporting says so without a device: TPU, Mosaic GPU and Triton.
# jax: not run
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plt

x = jnp.ones((16, 128))


def sums(x_ref, o_ref):
    o_ref[...] = jnp.cumsum(x_ref[...], axis=1)
#                ^ PL504 error "the TPU compiler has no `cumsum`"


def helper(x):
    return jnp.sort(x, axis=1)
#          ^ PL504 error "the TPU compiler has no `sort`"


def sorted_rows(x_ref, o_ref):
    o_ref[...] = helper(x_ref[...])


def unused(x_ref, o_ref):
    # What nothing reads is left out.
    jnp.sort(x_ref[...])
    o_ref[...] = x_ref[...]


def rows_of(x_ref, i_ref, o_ref):
    o_ref[...] = x_ref[i_ref[...]]
#                ^ PL504 error "not by integer arrays"


def by_row(i_ref, x_ref, o_ref):
    def body(r, _):
        o_ref[r, :] = x_ref[i_ref[r], :]

    lax.fori_loop(0, 16, body, None)


params = pltpu.CompilerParams(dimension_semantics=())
pl.pallas_call(sums, out_shape=x, compiler_params=params)(x)
pl.pallas_call(sorted_rows, out_shape=x, compiler_params=params)(x)
pl.pallas_call(unused, out_shape=x, compiler_params=params)(x)
pl.pallas_call(rows_of, out_shape=x, compiler_params=params)(x, jnp.arange(16))
positions = jnp.arange(16)
smem = pl.BlockSpec(memory_space=pltpu.SMEM)
vmem = pl.BlockSpec(memory_space=pltpu.VMEM)
pl.pallas_call(by_row, in_specs=[smem, vmem], out_shape=x, compiler_params=params)(positions, x)


def roots(x_ref, o_ref):
    o_ref[...] = jnp.sqrt(x_ref[...])
#                ^ PL504 error "Mosaic GPU has no `sqrt`"


def other_roots(x_ref, o_ref):
    o_ref[...] = x_ref[...] * lax.rsqrt(x_ref[...])


pl.pallas_call(roots, out_shape=x, compiler_params=plgpu.CompilerParams())(x)
pl.pallas_call(other_roots, out_shape=x, compiler_params=plgpu.CompilerParams())(x)


def joined(x_ref, o_ref):
    o_ref[...] = jnp.concatenate([x_ref[...], x_ref[...]], axis=1)
#                ^ PL504 error "along the last dimension only"


def running(x_ref, o_ref):
    o_ref[...] = jnp.cumsum(x_ref[...], axis=1)


pl.pallas_call(joined, out_shape=jnp.ones((16, 256)), compiler_params=plt.CompilerParams())(x)
pl.pallas_call(running, out_shape=x, compiler_params=plt.CompilerParams())(x)


# Nobody calls this. It is a TPU's all the same.
def launch(x: jax.Array):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...][::-1]
#                    ^ PL504 error "the TPU compiler has no `rev`"

    return pl.pallas_call(kernel, out_shape=x, compiler_params=pltpu.CompilerParams())(x)

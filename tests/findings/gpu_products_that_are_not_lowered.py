# Products that tensor cores do not compute: JAX refuses them when they are lowered, not when they are traced.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu



def layout(width, swizzle=128):
    return (plgpu.TilingTransform((8, width)), plgpu.SwizzleTransform(swizzle))


def rows():
    pl.run_scoped(lambda acc: acc[...], plgpu.ACC((32, 64)))
#   ^ PL508 error "a multiple of 64 rows and of 8 columns: this has 32 x 64"


def plain(a_smem, b_smem):
    def body(acc):
        plgpu.wgmma(acc, a_smem, b_smem)
#       ^ PL508 error "the left factor of `wgmma` is not tiled and swizzled"
#       ^ PL412 error "this product reads a_smem, which nobody has written"
        return acc[...]

    pl.run_scoped(body, plgpu.ACC((64, 64)))


def of_bytes(a_smem, b_smem):
    def body(acc):
        plgpu.wgmma(acc, a_smem, b_smem)
#       ^ PL508 error "takes a right factor of float8_e5m2 only if it is summed along the last dimension of its memory"
#       ^ PL412 error "this product reads a_smem, which nobody has written"
        return acc[...]

    pl.run_scoped(body, plgpu.ACC((64, 128)))


def narrow(a_smem, b_smem):
    def body(acc):
        plgpu.wgmma(acc, a_smem, b_smem)
#       ^ PL508 error "sums products of bfloat16 in float32: the accumulator is bfloat16"
#       ^ PL412 error "this product reads a_smem, which nobody has written"
        return acc[...]

    pl.run_scoped(body, plgpu.ACC((64, 64), jnp.bfloat16))


def blackwell(a_smem, b_smem, acc_tmem, done):
    plgpu.tcgen05_mma(acc_tmem, a_smem, plgpu.transpose_ref(b_smem, (1, 0)), done, accumulate=False)
#   ^ PL508 error "`tcgen05_mma` has at most 256 columns, or 512: this has 264"
#   ^ PL412 error "this product reads a_smem, which nobody has written"
    plgpu.barrier_wait(done)


def ask(kernel, *scratch):
    jax.eval_shape(plgpu.kernel(kernel, scratch_types=scratch))


ask(rows)
ask(plain, plgpu.SMEM((64, 64), jnp.float16), plgpu.SMEM((64, 64), jnp.float16))
bytes_ = dict(dtype=jnp.float8_e5m2, transforms=layout(128))
ask(of_bytes, plgpu.SMEM((64, 128), **bytes_), plgpu.SMEM((128, 128), **bytes_))
halves = dict(dtype=jnp.bfloat16, transforms=layout(64))
ask(narrow, plgpu.SMEM((64, 64), **halves), plgpu.SMEM((64, 64), **halves))
factors = dict(dtype=jnp.float16, transforms=layout(64))
ask(
    blackwell,
    plgpu.SMEM((128, 64), **factors),
    plgpu.SMEM((264, 64), **factors),
    plgpu.TMEM((128, 264), jnp.float32),
    plgpu.Barrier(orders_tensor_core=True),
)

# Copies that Mosaic GPU does not make: JAX refuses them when they are lowered, not when they are traced.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu


def fetch(x_gmem, x_smem, arrived):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, arrived)
#   ^ PL506 error "float32 of shape (100,): 400 bytes"
    plgpu.barrier_wait(arrived)


def fetch_rows(x_gmem, x_smem, arrived):
    plgpu.copy_gmem_to_smem(x_gmem.at[:, pl.ds(0, 32)], x_smem, arrived)
#   ^ PL506 error "rows of an array of float32 of shape (64, 33) are 132 bytes apart"
    plgpu.barrier_wait(arrived)


def fetch_all(x_gmem, x_smem, arrived):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, arrived)
#   ^ PL506 error "at most 256 elements along a dimension: this has 512"
    plgpu.barrier_wait(arrived)


def give(o_gmem, o_smem):
    plgpu.copy_smem_to_gmem(o_smem.at[:, pl.ds(0, 6)], o_gmem.at[:, pl.ds(0, 6)])
#   ^ PL506 error "a last dimension of a multiple of 16 bytes"
#   ^ PL412 error "this copy reads o_smem, which nobody has written"
    plgpu.wait_smem_to_gmem(0)


def ask(kernel, array, part):
    scratch = [plgpu.SMEM(part, jnp.float32), plgpu.Barrier()]
    launch = plgpu.kernel(kernel, scratch_types=scratch)
    jax.eval_shape(launch, jax.ShapeDtypeStruct(array, jnp.float32))


ask(fetch, (100,), (100,))
ask(fetch_rows, (64, 33), (64, 32))
ask(fetch_all, (512,), (512,))
out = jax.ShapeDtypeStruct((64, 8), jnp.float32)
jax.eval_shape(plgpu.kernel(give, out_type=out, scratch_types=[plgpu.SMEM((64, 8), jnp.float32)]))

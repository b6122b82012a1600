# Scopes that follow each other have their shared memory in common, and so have the groups of a RefUnion.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

LARGE = plgpu.SMEM((5, 128, 128), jnp.float16)


def kernel(x_gmem, o_gmem, union, arrived):
    [first], [second] = union
    plgpu.copy_gmem_to_smem(x_gmem.at[0], first.at[0], arrived)
    plgpu.barrier_wait(arrived)
    o_gmem[0] = first[0]
    plgpu.copy_gmem_to_smem(x_gmem.at[1], second.at[0], arrived)
    plgpu.barrier_wait(arrived)
    o_gmem[1] = second[0]


def in_turn(x_gmem, o_gmem, arrived):
    for number in range(2):

        @pl.with_scoped(LARGE)
        def _(slots):
            plgpu.copy_gmem_to_smem(x_gmem.at[number], slots.at[0], arrived)
            plgpu.barrier_wait(arrived)
            o_gmem[number] = slots[0]

        _()


x = jax.ShapeDtypeStruct((16, 128, 128), jnp.float16)
scratch = [plgpu.RefUnion([LARGE], [LARGE]), plgpu.Barrier()]
jax.eval_shape(plgpu.kernel(kernel, out_type=x, scratch_types=scratch), x)
jax.eval_shape(plgpu.kernel(in_turn, out_type=x, scratch_types=[plgpu.Barrier()]), x)

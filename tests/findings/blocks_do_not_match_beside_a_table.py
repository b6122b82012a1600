# A product of groups: which group is in a table, and which part of the sum it is follows the wrong axis of the grid.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(group_ref, x_ref, w_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], w_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = acc_ref[...]


def product(group, x, w, w_map):
    return pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(2, 4, 2),
            in_specs=[
                pl.BlockSpec((16, 64), lambda j, i, k, group: (i, k)),
                pl.BlockSpec((None, 64, 64), w_map),
#                                            ^ PL126 warning "positions 0..64 along dimension 1 of w_ref meet columns 64..128 of x_ref"
            ],
            out_specs=pl.BlockSpec((16, 64), lambda j, i, k, group: (i, j)),
            scratch_shapes=[pltpu.VMEM((16, 64), jnp.float32)],
        ),
        out_shape=jax.ShapeDtypeStruct((64, 128), jnp.float32),
        interpret=True,
    )(group, x, w)


group = jnp.array([0, 0, 2, 1], jnp.int32)
x = jnp.ones((64, 128))
w = jnp.ones((3, 128, 128))
product(group, x, w, lambda j, i, k, group: (group[i], j, k))
product(group, x, w, lambda j, i, k, group: (group[i], k, j))

# A kernel whose parameters stand in another order than the arguments of the call, which their names tell.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(table_ref, lengths_ref, x_ref, o_ref):
    b, p = pl.program_id(0), pl.program_id(1)

    @pl.when(p < lengths_ref[b])
#    ^ PL115 error "`table_ref` is given `lengths`, and `table` goes to `lengths_ref`"
    def _():
        o_ref[...] = x_ref[...]


def launch(lengths, table, x):
    return pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=2,
            grid=(2, 2),
            in_specs=[pl.BlockSpec((1, 128), lambda b, p, lengths, table: (table[b, p], 0))],
            out_specs=pl.BlockSpec((1, 128), lambda b, p, lengths, table: (b * 2 + p, 0)),
        ),
        out_shape=x,
        interpret=True,
    )(lengths, table, x)


launch(jnp.array([1, 2]), jnp.array([[0, 1], [2, 3]]), jnp.ones((4, 128)))

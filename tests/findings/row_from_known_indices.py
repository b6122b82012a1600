# Indices that lie in scalar memory as an input, and are known: a row that the table does not have is found.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def gather_kernel(index_ref, table_ref, out_ref):
    row = index_ref[pl.program_id(0)]
    out_ref[0, :] = table_ref[row, :]
#                   ^ PL202 error "leaves table_ref along dimension 0, which has 8"


def gather(index, table):
    return pl.pallas_call(
        gather_kernel,
        grid=index.shape,
        in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(table.shape, lambda i: (0, 0))],
        out_specs=pl.BlockSpec((1, table.shape[1]), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((index.shape[0], table.shape[1]), table.dtype),
        interpret=True,
    )(index, table)


table = jnp.ones((8, 128))
gather(jnp.array([0, 5, 7]), table)
gather(jnp.array([0, 5, 9]), table)

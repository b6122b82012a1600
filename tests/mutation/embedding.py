"""Rows of a table, picked by indices that are fetched before the grid runs."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def lookup_kernel(index_ref, table_ref, o_ref):
  o_ref[...] = table_ref[...]


def lookup(index, table):
  count, width = index.shape[0], table.shape[2]
  return pl.pallas_call(
      lookup_kernel,
      grid_spec=pltpu.PrefetchScalarGridSpec(
          num_scalar_prefetch=1,
          grid=(count,),
          in_specs=[pl.BlockSpec((None, 8, width), lambda i, index: (index[i], 0, 0))],
          out_specs=pl.BlockSpec((None, 8, width), lambda i, index: (i, 0, 0)),
      ),
      out_shape=jax.ShapeDtypeStruct((count, 8, width), table.dtype),
      interpret=True,
  )(index, table)


table = jnp.sin(jnp.arange(10 * 8 * 128.0)).reshape(10, 8, 128)
index = jnp.array([3, 1, 4, 1, 5, 9], jnp.int32)
result = lookup(index, table)

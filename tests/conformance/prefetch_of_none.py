# Prefetched scalars that are `None`, or trees: they are no Refs, and index maps and kernels are given them all the same.
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.arange(16 * 128, dtype=jnp.float32).reshape(16, 128)


def launch(kernel, index_map, *scalars):
    return pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=len(scalars),
            grid=(2,),
            in_specs=[pl.BlockSpec((8, 128), index_map)],
            out_specs=pl.BlockSpec((8, 128), lambda i, *_: (i, 0)),
        ),
        out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32),
        interpret=True,
    )(*scalars, x)[:, :2]


def nothing(rows_ref, columns_ref, x_ref, o_ref):
    assert rows_ref is None and columns_ref is None
    o_ref[...] = x_ref[...] + 1


def columns(rows_ref, columns_ref, x_ref, o_ref):
    assert rows_ref is None
    o_ref[...] = x_ref[...] + columns_ref[0]


def tree(first_ref, refs, x_ref, o_ref):
    o_ref[...] = x_ref[...] + refs["added"][0]


print(launch(nothing, lambda i, rows_ref, columns_ref: (i, 0), None, None))
print(launch(columns, lambda i, rows_ref, columns_ref: (i, 0), None, jnp.array([3])))
print(launch(tree, lambda i, _, refs: (refs["rows"][i], 0), None, {"rows": jnp.array([1, 0]), "added": jnp.array([4])}))

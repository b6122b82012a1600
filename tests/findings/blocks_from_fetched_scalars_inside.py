# Blocks chosen by scalars that the program computes: nothing is wrong with them.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy(index_ref, x_ref, o_ref):
    o_ref[...] = x_ref[...]


def add_up(index_ref, x_ref, o_ref):
    i = pl.program_id(0)

    @pl.when((i == 0) | (index_ref[i] != index_ref[jnp.maximum(i - 1, 0)]))
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += x_ref[...]


def launch(kernel, in_spec, out_spec, rows, programs=4):
    return pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1, grid=(programs,), in_specs=[in_spec], out_specs=out_spec
        ),
        out_shape=jax.ShapeDtypeStruct((rows, 8), jnp.float32),
        interpret=True,
    )


x = jnp.arange(64.0).reshape(8, 8)
rows = pl.BlockSpec((1, 8), lambda i, index: (i, 0))
picked = pl.BlockSpec((1, 8), lambda i, index: (index[i], 0))
kept = pl.BlockSpec((1, 8), lambda i, index: (jnp.minimum(index[i], 7), 0))

launch(copy, picked, rows, 4)(jnp.array([4, 1, 7, 2]), x)
launch(copy, kept, rows, 4)(jnp.array([4, 1, 9, 2]), x)
launch(copy, rows, picked, 4)(jnp.array([3, 1, 0, 2]), x)
launch(add_up, rows, picked, 2)(jnp.array([0, 0, 1, 1]), x)


# What is not known may be right.
@jax.jit
def gather(keys, x):
    return launch(copy, picked, rows, 4)(jnp.argsort(keys)[:4], x)


gather(jax.random.randint(jax.random.key(0), (8,), 0, 100), x)


@jax.jit
def clipped(index, x):
    return launch(copy, picked, rows, 4)(jnp.clip(index, 0, 7), x)


clipped(jnp.array([3, 4, 100, -5]), x)

# Called again with other scalars.
for shift in range(4):
    launch(copy, picked, rows, 4)(jnp.arange(4) + shift, x)

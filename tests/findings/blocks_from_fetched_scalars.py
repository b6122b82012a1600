# Blocks chosen by scalars that the program computes: outside of the array, left out, visited again.
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
#   ^ PL129 warning "program (0,) reads inputs"


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

# Counted from 1.
outside = pl.BlockSpec((1, 8), lambda i, index: (index[i], 0))
#                              ^ PL120 error "program (2,): row 8 of x_ref, which has 8"
launch(copy, outside, rows, 4)(jnp.array([4, 1, 8, 2]), x)


# In a jitted function, and computed there.
@jax.jit
def every_third(x):
    spec = pl.BlockSpec((1, 8), lambda i, index: (index[i], 0))
#                               ^ PL120 error "program (3,): row 9 of x_ref, which has 8"
    return launch(copy, spec, rows, 4)(jnp.arange(4) * 3, x)


every_third(x)


# In a jitted function, and handed over.
@jax.jit
def gather(index, x):
    spec = pl.BlockSpec((1, 8), lambda i, index: (index[i] // 2, 0))
#                               ^ PL120 error "row 10 of x_ref, which has 8"
    return launch(copy, spec, rows, 4)(index, x)


gather(jnp.array([1, 2, 3, 20]), x)


# All of them lie outside, whatever they are.
@jax.jit
def always(keys, x):
    spec = pl.BlockSpec((1, 8), lambda i, index: (index[i], 0))
#                               ^ PL120 error "the index map reads index_ref: keep what it holds between 0 and 7"
    return launch(copy, spec, rows, 4)(jnp.clip(keys, 8, 20), x)


always(jnp.zeros(100_000, jnp.int32)[:4], x)

# No program has row 3.
left_out = pl.BlockSpec((1, 8), lambda i, index: (index[i], 0))
#                               ^ PL121 error "row 3, columns 0..8 of o_ref"
launch(copy, rows, left_out, 4)(jnp.array([0, 1, 2, 2]), x)

# Sums of groups whose rows are not together.
groups = pl.BlockSpec((1, 8), lambda i, index: (index[i], 0))
#                             ^ PL124 warning "sort index_ref"
launch(add_up, rows, groups, 2)(jnp.array([0, 1, 0, 1]), x)

# One scalar for each program and its successor: there are as many as programs.
successor = pl.BlockSpec((1, 8), lambda i, index: (index[i + 1], 0))
#                                                  ^ PL202 error "program (3,): element 4 of index_ref, which has 4"
launch(copy, successor, rows, 4)(jnp.array([3, 1, 2, 0]), x)

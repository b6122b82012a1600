# Operands that are handed to a kernel for nothing.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def lookup(index_ref, table_ref, o_ref):
#          ^ PL130 info "should an index map use it?"
    o_ref[...] = table_ref[...]


def chosen(index_ref, table_ref, o_ref):
    o_ref[...] = table_ref[...]


def launch(kernel, index_map):
    pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(4,),
            in_specs=[pl.BlockSpec((None, 8, 128), index_map)],
            out_specs=pl.BlockSpec((None, 8, 128), lambda i, index: (i, 0, 0)),
        ),
        out_shape=table,
        interpret=True,
    )(jnp.array([3, 1, 0, 2], jnp.int32), table)


table = jnp.ones((4, 8, 128))
launch(lookup, lambda i, index: (i, 0, 0))
launch(chosen, lambda i, index: (index[i], 0, 0))


def first(x_ref, y_ref, _unused_ref, o_ref):
#                ^ PL130 info "nothing reads y_ref"
    o_ref[...] = x_ref[...]


x = jnp.ones((8, 128))
pl.pallas_call(first, out_shape=x, interpret=True)(x, x, x)


# An operand whose memory the output takes over is there for its memory.
def into(x_ref, o_ref):
    o_ref[...] = jnp.ones_like(o_ref)


pl.pallas_call(into, out_shape=x, input_output_aliases={0: 0}, interpret=True)(x)

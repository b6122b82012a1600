# Functions that nobody calls, whose specs, index maps and kernels are wrong whatever they are called with.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

table = jnp.arange(8.0)


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def specs_for_two(x: jax.Array):
    specs = [pl.BlockSpec((8, 128), lambda i: (i, 0)), pl.BlockSpec((8, 128), lambda i: (i, 0))]
    return pl.pallas_call(copy, grid=(4,), in_specs=specs, out_shape=like(x))(x)
#                                                   ^ PL103 error "2 specs for 1 operand"


def map_of_one(x: jax.Array):
    spec = pl.BlockSpec((8, 128), lambda i: (i, 0))
#                                 ^ PL106 error "called with 2 program ids"
    return pl.pallas_call(copy, grid=(2, 2), in_specs=[spec], out_shape=like(x))(x)


def map_of_floats(x: jax.Array):
    spec = pl.BlockSpec((8, 128), lambda i: (i / 2, 0))
#                                 ^ PL108 error "must return integer scalars"
    return pl.pallas_call(copy, grid=(2,), in_specs=[spec], out_shape=like(x))(x)


def kernel_of_one(x: jax.Array):
    return pl.pallas_call(lambda x_ref: None, out_shape=like(x))(x)
#                         ^ PL109 error "this kernel"


def returned(x_ref, o_ref):
#   ^ PL110 error "returns a value"
    o_ref[...] = x_ref[...]
    return x_ref[...]


def kernel_that_returns(x: jax.Array):
    return pl.pallas_call(returned, out_shape=like(x))(x)


def grid_twice(x: jax.Array):
    spec = pl.GridSpec(grid=(4,))
    return pl.pallas_call(copy, grid_spec=spec, grid=(4,), out_shape=like(x))(x)
#                                                    ^ PL112 error "beside its `grid_spec`"


def outside_of_a_kernel(x: jax.Array):
    i = pl.program_id(0)
#       ^ PL113 error "program_id"
    return pl.pallas_call(copy, out_shape=like(x))(x * i)


def third_axis(x_ref, o_ref):
    o_ref[...] = x_ref[...] * pl.program_id(2)
#                             ^ PL114 error "axis 2"


def axis_that_there_is_not(x: jax.Array):
    return pl.pallas_call(third_axis, grid=(2, 2), out_shape=like(x))(x)


def when_of_all(x_ref, o_ref):
    @pl.when(x_ref[...] > 0)
#    ^ PL115 error "must be a scalar"
    def _():
        o_ref[...] = x_ref[...]


def condition_of_an_array(x: jax.Array):
    return pl.pallas_call(when_of_all, out_shape=like(x))(x)


def exchanged(o_ref, x_ref):
#                    ^ PL122 error "never writes its output x_ref"
    o_ref[...] = x_ref[...]


def output_that_nobody_writes(x: jax.Array):
    return pl.pallas_call(exchanged, out_shape=like(x))(x)


def captures(x_ref, o_ref):
    o_ref[...] = x_ref[...] * table[0]
#                             ^ PL305 error "captures"


def constant_from_outside(x: jax.Array):
    return pl.pallas_call(captures, out_shape=like(x))(x)


def doubled(x_ref, o_ref):
    o_ref[...] = x_ref + 1.0
#                ^ PL308 error "Ref"


def ref_in_a_sum(x: jax.Array):
    return pl.pallas_call(doubled, out_shape=like(x))(x)


def grows(x_ref, o_ref):
    total = jax.lax.fori_loop(0, 4, lambda i, total: total.astype(jnp.float32), jnp.int32(0))
#           ^ PL310 error "carry"
    o_ref[...] = x_ref[...] * total


def carry_of_another_type(x: jax.Array):
    return pl.pallas_call(grows, out_shape=like(x))(x)

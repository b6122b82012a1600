# Mistakes in other words than those of their own cases.
# jax: not run
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from no_such_company import layouts
#^ PL002 warning "no_such_company"
from jax.experimental.pallas import mosaic_gpu as plgpu
from jax.experimental.pallas import triton as plt

x = jnp.ones((32, 128))
out = jax.ShapeDtypeStruct((32, 128), jnp.float32)
block = pl.BlockSpec((8, 128), lambda i: (i, 0))


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


# A grid of a computed float, outside of a tuple.
pl.pallas_call(copy, grid=32 / 8, in_specs=[block], out_specs=block, out_shape=out)(x)
#                         ^ PL101 error "Grid must be a tuple of integers"

# Specs in a tuple, one too few for two operands.
pl.pallas_call(copy, grid=(4,), in_specs=(block,), out_specs=block, out_shape=out)(x, x)
#                                        ^ PL103 error "1 spec for 2 operands"

# A block of three dimensions for an array of two.
pl.pallas_call(copy, grid=(4,), in_specs=[pl.BlockSpec((1, 8, 128), lambda i: (0, i, 0))], out_specs=block, out_shape=out)(x)
#                                                      ^ PL104 error "block"


# An index map by name, and one that was bound.
def columns_only(j):
    return (0, j)


pl.pallas_call(copy, grid=(4, 1), in_specs=[pl.BlockSpec((8, 128), columns_only)], out_shape=out)(x)
#                                                                  ^ PL106 error "called with 2 program ids"
pl.pallas_call(copy, grid=(4,), in_specs=[pl.BlockSpec((8, 128), lambda i: i)], out_shape=out)(x)
#                                                                ^ PL107 error "returns 1 block index"
pl.pallas_call(copy, grid=(4,), in_specs=[pl.BlockSpec((8, 128), index_map=lambda i: (jnp.float32(i), 0))], out_shape=out)(x)
#                                                                          ^ PL108 error "must return integer scalars"


# Kernels as partials and lambdas.
def scaled(x_ref, scale, o_ref):
#   ^ PL109 error "this kernel is called with 3 Refs"
    o_ref[...] = x_ref[...] * scale


pl.pallas_call(functools.partial(scaled, scale=2.0), out_shape=out)(x, x)
pl.pallas_call(lambda x_ref, o_ref: x_ref[...], out_shape=out)(x)
#              ^ PL110 error "returns a value"

# An alias of a number that no output has.
pl.pallas_call(copy, grid=(4,), in_specs=[block], out_specs=block, out_shape=out, input_output_aliases={0: 1})(x)
#                                                                                                      ^ PL111 error "alias"
spec = pl.GridSpec(grid=(4,), in_specs=[block], out_specs=block)
pl.pallas_call(copy, grid_spec=spec, in_specs=[block], out_shape=out)(x)
#                                             ^ PL112 error "beside its `grid_spec`"
count = pl.num_programs(0)
#       ^ PL113 error "num_programs"


def guarded(x_ref, o_ref):
    @pl.when(jnp.isnan(x_ref[0]))
#    ^ PL115 error "must be a scalar"
    def _():
        o_ref[...] = x_ref[...]


pl.pallas_call(guarded, out_shape=out)(x)


def flat(x_ref, o_ref):
    o_ref[0] = x_ref[...]
#   ^ PL301 error "shape"


pl.pallas_call(flat, out_shape=out)(x)


def counted(x_ref, o_ref):
    o_ref[...] = (x_ref[...] > 0).astype(jnp.int32)
#   ^ PL302 error "into a Ref of"


pl.pallas_call(counted, out_shape=out)(x)

weights = jnp.ones((128,))


def weighted(x_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], jnp.outer(weights, weights))
#                                    ^ PL305 error "captures"


pl.pallas_call(weighted, out_shape=out)(x)


def by_float(x_ref, o_ref):
    o_ref[...] = x_ref[1.5]
#                ^ PL309 error "index"


pl.pallas_call(by_float, out_shape=out)(x)


def waits_twice(x_ref, o_ref, sem):
    pltpu.make_async_copy(x_ref, o_ref, sem).start()
    pltpu.make_async_copy(x_ref, o_ref, sem).wait()
    pltpu.make_async_copy(x_ref, o_ref, sem).wait()
#   ^ PL401 error "no copy that"


def signals(x_ref, o_ref, sem):
    o_ref[...] = x_ref[...]
    for _ in range(3):
        pl.semaphore_signal(sem)
#       ^ PL403 error "is 3 when its life ends"


def other_kind(x_ref, o_ref, sem):
    o_ref[...] = x_ref[...]
    pl.semaphore_signal(sem)
#   ^ PL320 error "emaphore"


def other_dtype(x_ref, o_ref, sem):
    pltpu.make_async_copy(x_ref, o_ref, sem).start()
#   ^ PL321 error "type"


dma, regular = pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR
pl.pallas_call(waits_twice, out_shape=out, scratch_shapes=[dma])(x)
pl.pallas_call(signals, out_shape=out, scratch_shapes=[regular])(x)
pl.pallas_call(other_kind, out_shape=out, scratch_shapes=[dma])(x)
pl.pallas_call(other_dtype, out_shape=jax.ShapeDtypeStruct((32, 128), jnp.int32), scratch_shapes=[dma])(x)


def masked_store(x_ref, o_ref):
    plt.store(o_ref.at[pl.ds(0, 8)], x_ref[pl.ds(0, 8)], mask=jnp.arange(4) < 3)
#   ^ PL311 error "mask"


pl.pallas_call(masked_store, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32))(jnp.ones(8))


def all_barriers(x_gmem, x_smem, barriers):
    plgpu.copy_gmem_to_smem(x_gmem, x_smem, barriers.at[0])
    plgpu.barrier_wait(barriers)
#   ^ PL340 error "barrier"


scratch = [plgpu.SMEM((128,), jnp.float32), plgpu.Barrier(num_barriers=2)]
jax.eval_shape(plgpu.kernel(all_barriers, scratch_types=scratch), jax.ShapeDtypeStruct((128,), jnp.float32))

y = x  # pallas: ignore[block-out-of-bounds]
#      ^ PL006 warning "not found on this line"

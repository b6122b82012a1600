# Main memory is reached by copies, and scalar memory one scalar at a time; interpret mode reads both like any other memory.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

params = pltpu.CompilerParams(dimension_semantics=())
x = jnp.ones((8, 128))
main = pl.BlockSpec(memory_space=pl.ANY)
scalars = pl.BlockSpec(memory_space=pltpu.SMEM)


def loads(x_hbm, o_ref):
    o_ref[...] = x_hbm[...] * 2
#                ^ PL504 error "reaches a Ref in main memory (`pl.ANY`) by copies only"


pl.pallas_call(loads, in_specs=[main], out_shape=x, compiler_params=params)(x)


def stores(x_ref, o_hbm):
    o_hbm[...] = x_ref[...] * 2
#   ^ PL504 error "by copies only"


pl.pallas_call(stores, out_specs=main, out_shape=x, compiler_params=params)(x)


def vectors(s_ref, o_ref):
    o_ref[...] = jnp.broadcast_to(s_ref[...][:, None], (8, 128))
#                                 ^ PL504 error "scalars only in scalar memory"


pl.pallas_call(vectors, in_specs=[scalars], out_shape=x, compiler_params=params)(jnp.ones(8))


def right(s_ref, x_hbm, o_ref, x_vmem):
    pltpu.sync_copy(x_hbm, x_vmem)
    o_ref[...] = x_vmem[...] * s_ref[3]


pl.pallas_call(
    right, in_specs=[scalars, main], out_shape=x, scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)], compiler_params=params
)(jnp.ones(8), x)


def whole(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


y = jax.ShapeDtypeStruct((8192, 4096), jnp.float32)
jax.eval_shape(pl.pallas_call(whole, out_shape=y, compiler_params=params), y)
#              ^ PL502 error "no TPU has more than 128 MiB"

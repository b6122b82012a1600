# What calls took in older versions of JAX.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


def repeated(x_ref, o_ref):
    o_ref[...] = pltpu.repeat(x_ref[...], 4, 1)
#                ^ PL008 info "use `jnp.tile`"


x = jnp.ones((32, 128))
pl.pallas_call(copy, out_shape=x, interpret=True, compiler_params=dict(mosaic=dict(dimension_semantics=())))(x)
#                                                                 ^ PL008 info "`pltpu.CompilerParams(dimension_semantics=())`"
pl.pallas_call(copy, out_shape=x, interpret=True, compiler_params={"triton": {"num_warps": 4}})(x)
#                                                                 ^ PL008 info "no dict since JAX 0.6.1"
block = pl.BlockSpec((8, 128), lambda i: (i * 8, 0), indexing_mode=pl.Unblocked())
#                                                                  ^ PL008 info "write `pl.Element(size)`"
pl.pallas_call(copy, grid=(4,), in_specs=[block], out_specs=block, out_shape=x, interpret=True)(x)
pl.pallas_call(repeated, out_shape=jax.ShapeDtypeStruct((32, 512), x.dtype), interpret=True)(x)

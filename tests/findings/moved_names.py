# Names that newer versions of JAX do not have.
# jax: AttributeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax._src import dtypes


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...]


x = jnp.ones((32, 128))
params = pltpu.TPUCompilerParams(dimension_semantics=("parallel",))
#        ^ PL008 info "it is called `CompilerParams` now"
rows = 256 // dtypes.bit_width(x.dtype)
#             ^ PL008 info "it is called `itemsize_bits` now"
pl.pallas_call(copy, out_shape=x, grid=(32 // rows,), compiler_params=params, interpret=True,
               in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
               out_specs=pl.BlockSpec(lambda i: (i, 0), (8, 128)))(x)
#                                     ^ PL008 info "block shape first since JAX 0.4.31"

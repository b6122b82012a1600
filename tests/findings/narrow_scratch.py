# Products that programs add up in scratch memory: in 16 bits, and as it should be.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def matmul(x, y, dtype):
    def kernel(x_ref, y_ref, o_ref, sum_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            sum_ref[...] = jnp.zeros_like(sum_ref)

        product = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
        sum_ref[...] += product.astype(sum_ref.dtype)
#       ^ PL205 warning "this sum of products is rounded to bfloat16 by each program that adds to it"

        @pl.when(pl.program_id(0) == pl.num_programs(0) - 1)
        def _():
            o_ref[...] = sum_ref[...].astype(o_ref.dtype)

    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((32, 32), jnp.bfloat16),
        grid=(4,),
        in_specs=[pl.BlockSpec((32, 32), lambda k: (0, k)), pl.BlockSpec((32, 32), lambda k: (k, 0))],
        out_specs=pl.BlockSpec((32, 32), lambda k: (0, 0)),
        scratch_shapes=[pltpu.VMEM((32, 32), dtype)],
        interpret=True,
    )(x, y)


x = jnp.ones((32, 128), jnp.bfloat16)
y = jnp.ones((128, 32), jnp.bfloat16)
matmul(x, y, jnp.bfloat16)
matmul(x, y, jnp.float32)

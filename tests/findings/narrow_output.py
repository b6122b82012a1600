# Products and sums that programs add up in an output block of 16 bits: many, few, and in another type.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def matmul(x, y, dtype, terms):
    def kernel(x_ref, y_ref, o_ref):
        @pl.when(pl.program_id(1) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        product = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
        o_ref[...] += product.astype(o_ref.dtype)
#       ^ PL205 warning "this sum of products is rounded to bfloat16 by each program that adds to it"
#       ^ PL205 warning "16 programs add to each block of o_ref"

    block = 256 // terms
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((64, 32), dtype),
        grid=(2, terms),
        in_specs=[pl.BlockSpec((32, block), lambda i, k: (i, k)), pl.BlockSpec((block, 32), lambda i, k: (k, 0))],
        out_specs=pl.BlockSpec((32, 32), lambda i, k: (i, 0)),
        interpret=True,
    )(x, y)


x = jnp.ones((64, 256), jnp.bfloat16)
y = jnp.ones((256, 32), jnp.bfloat16)
matmul(x, y, jnp.bfloat16, 16)
matmul(x, y, jnp.bfloat16, 4)
matmul(x, y, jnp.float32, 16)


def column_sums(x, terms):
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        sums = jnp.sum(x_ref[...].astype(jnp.float32), axis=0, keepdims=True)
        o_ref[...] = (o_ref[...].astype(jnp.float32) + sums).astype(o_ref.dtype)
#       ^ PL205 warning "this sum of sums is rounded to bfloat16"

    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((1, 256), jnp.bfloat16),
        grid=(terms,),
        in_specs=[pl.BlockSpec((64 // terms, 256), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((1, 256), lambda i: (0, 0)),
        interpret=True,
    )(x)


column_sums(x, 8)


def total(x, terms):
    def kernel(x_ref, o_ref):
        @pl.when(pl.program_id(0) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...]
#       ^ PL205 warning "32 programs add"

    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((64 // terms, 256), jnp.bfloat16),
        grid=(terms,),
        in_specs=[pl.BlockSpec((64 // terms, 256), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((64 // terms, 256), lambda i: (0, 0)),
        interpret=True,
    )(x)


total(x, 16)
total(x, 32)

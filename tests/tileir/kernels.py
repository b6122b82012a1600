"""Kernels of which the Tile IR is recorded, and compiled where the compiler is installed."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def scaled_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = jax.nn.sigmoid(x_ref[...]) * y_ref[...] + 1.0


# The last blocks reach over the end of the array.
pl.pallas_call(
    scaled_kernel,
    grid=(2, 2),
    in_specs=[pl.BlockSpec((64, 128), lambda i, j: (i, j))] * 2,
    out_specs=pl.BlockSpec((64, 128), lambda i, j: (i, j)),
    out_shape=jax.ShapeDtypeStruct((100, 200), jnp.float32),
)(jnp.ones((100, 200)), jnp.ones((100, 200)))


def matmul_kernel(x_ref, y_ref, o_ref, acc_ref, *, steps):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == steps - 1)
    def _():
        o_ref[...] = acc_ref[...].astype(o_ref.dtype)


m, n, k, block, depth = 512, 512, 512, 128, 64
pl.pallas_call(
    functools.partial(matmul_kernel, steps=k // depth),
    grid=(m // block, n // block, k // depth),
    in_specs=[
        pl.BlockSpec((block, depth), lambda i, j, s: (i, s)),
        pl.BlockSpec((depth, block), lambda i, j, s: (s, j)),
    ],
    out_specs=pl.BlockSpec((block, block), lambda i, j, s: (i, j)),
    out_shape=jax.ShapeDtypeStruct((m, n), jnp.bfloat16),
    scratch_shapes=[pltpu.VMEM((block, block), jnp.float32)],
)(jnp.ones((m, k), jnp.bfloat16), jnp.ones((k, n), jnp.bfloat16))


def softmax_kernel(x_ref, o_ref):
    x = x_ref[...]
    e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    o_ref[...] = e / jnp.sum(e, axis=-1, keepdims=True)


pl.pallas_call(
    softmax_kernel,
    grid=(8,),
    in_specs=[pl.BlockSpec((8, 1024), lambda i: (i, 0))],
    out_specs=pl.BlockSpec((8, 1024), lambda i: (i, 0)),
    out_shape=jax.ShapeDtypeStruct((64, 1024), jnp.float32),
)(jnp.ones((64, 1024)))


def sliced_kernel(x_ref, o_ref):
    def body(i, total):
        return total + x_ref[:, pl.ds(i * 32, 32)].astype(jnp.float32)

    o_ref[...] = jax.lax.fori_loop(0, 4, body, jnp.zeros((16, 32), jnp.float32))


# A slice whose start is a multiple of its size is a tile of a cut.
pl.pallas_call(sliced_kernel, out_shape=jax.ShapeDtypeStruct((16, 32), jnp.float32))(jnp.ones((16, 128), jnp.float16))

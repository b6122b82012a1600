# Functions that nobody calls, of which a launch says what their arguments hold.
# jax: not run
import functools
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def grouped_kernel(groups_ref, x_ref, w_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], w_ref[...], preferred_element_type=jnp.float32).astype(o_ref.dtype)


def grouped(x, w, of_tile, rows=128):
    m, k = x.shape
    _, _, n = w.shape
    return pl.pallas_call(
        grouped_kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(m // rows,),
            in_specs=[
                pl.BlockSpec((rows, k), lambda i, tiles: (i, 0)),
                pl.BlockSpec((None, k, n), lambda i, tiles: (tiles[i], 0, 0)),
            ],
            out_specs=pl.BlockSpec((rows, n), lambda i, tiles: (i, 0)),
        ),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
    )(of_tile, x, w)


def bytes_kernel(x_ref, w_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], w_ref[...], preferred_element_type=jnp.int32)


def of_bytes(x, w, rows=128):
    m, k = x.shape
    _, n = w.shape
    return pl.pallas_call(
        bytes_kernel,
        grid=(m // rows,),
        in_specs=[pl.BlockSpec((rows, k), lambda i: (i, 0)), pl.BlockSpec((k, n), lambda i: (0, 0))],
        out_specs=pl.BlockSpec((rows, n), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((m, n), jnp.int32),
    )(x, w)


def first_kernel(x_ref, o_ref, *, inverse):
    o_ref[...] = x_ref[:, : o_ref.shape[1]] * inverse


def first(x, k, temperature):
    return pl.pallas_call(
        functools.partial(first_kernel, inverse=1.0 / float(temperature)),
        grid=(x.shape[0] // 8,),
        in_specs=[pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, k), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((x.shape[0], k), x.dtype),
    )(x)


def scaled_kernel(x_ref, o_ref, *, scale):
    o_ref[...] = x_ref[...] * (1.0 / float(scale))


# What the kernel is bound to is not known, so that it is not followed to its end: it returns nothing, all the same.
def scaled(x, scales):
    scale = float(scales.sum())
    kernel = functools.partial(scaled_kernel, scale=scale)
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

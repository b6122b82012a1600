# A function that nobody calls hands a number on to its kernel, which may be one of Python's; an array is one whoever calls.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def scaled(x_ref, o_ref, *, scale):
    o_ref[...] = scale * x_ref[...]


def forward(x, scale):
    rows, columns = x.shape
    assert columns == 128, f"128 columns, not {columns}"
    return pl.pallas_call(
        lambda *refs: scaled(*refs, scale=scale),
        grid=(rows // 8,),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct(x.shape, jnp.float32),
    )(x)


def forward_of_rows(x):
    weights = jnp.arange(128.0)

    def weighted(x_ref, o_ref):
        o_ref[...] = x_ref[...] * weights
#                    ^ PL305 error "f32[128]"

    return pl.pallas_call(weighted, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32))(x)

# Nobody calls these functions: a sum of blocks that is overwritten.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def gradient_kernel(x_ref, g_ref, dw_ref):
    dw_ref[...] = jnp.sum(x_ref[...] * g_ref[...], axis=0, keepdims=True)
#   ^ PL132 warning "each program along grid axis 0 overwrites in dw_ref"


def gradient(x, g, block=128):
    rows, columns = x.shape
    spec = pl.BlockSpec((block, columns), lambda i: (i, 0))
    return pl.pallas_call(gradient_kernel, grid=(pl.cdiv(rows, block),), in_specs=[spec, spec],
        out_specs=pl.BlockSpec((1, columns), lambda i: (0, 0)), out_shape=jax.ShapeDtypeStruct((1, columns), x.dtype))(x, g)

"""Bits of arrays in another dtype; narrower elements stand under each other."""

import jax.numpy as jnp
from jax import lax


def bitcast(x, dtype):
    """The second to last dimension grows or shrinks as elements become narrower or wider."""
    dtype = jnp.dtype(dtype)
    if x.ndim < 2:
        raise NotImplementedError("Not implemented: bitcast 1D")
    before, after = x.dtype.itemsize * 8, dtype.itemsize * 8
    rows, columns = x.shape[-2:]
    if before < after:
        ratio = after // before
        if rows % ratio:
            raise ValueError(f"Expected input with shape[-2] % ({ratio}) == 0")
        packed = x.reshape(*x.shape[:-2], rows // ratio, ratio, columns)
        return lax.bitcast_convert_type(jnp.swapaxes(packed, -1, -2), dtype)
    cast = lax.bitcast_convert_type(x, dtype)
    if before == after:
        return cast
    ratio = before // after
    return jnp.swapaxes(cast, -1, -2).reshape(*x.shape[:-2], rows * ratio, columns)

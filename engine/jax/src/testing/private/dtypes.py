"""Dtypes by their roles."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.dtypes import *
from jax.dtypes import TypePromotionError, canonicalize_dtype, issubdtype, itemsize_bits, result_type


def default_int_dtype():
    return np.dtype("int64" if jax.config.jax_enable_x64 else "int32")


def default_uint_dtype():
    return np.dtype("uint64" if jax.config.jax_enable_x64 else "uint32")


def default_float_dtype():
    return np.dtype("float64" if jax.config.jax_enable_x64 else "float32")


# What it was called before JAX renamed it.
bit_width = itemsize_bits


def __getattr__(name):
    if not hasattr(jnp, name):
        raise AttributeError(f"module 'jax._src.dtypes' has no attribute '{name}'")
    return getattr(jnp, name)

"""`pl.empty_ref_like`"""
import jax
from jax.experimental import pallas as pl


def empty_ref_like(x):
    if isinstance(x, pl.MemoryRef):
        space = x.memory_space
    elif isinstance(x, jax.ShapeDtypeStruct):
        space = pl.ANY
    else:
        raise ValueError(f"empty_ref_like does not support {type(x)}")
    return jax.new_ref(pl.empty_like(x), memory_space=space)

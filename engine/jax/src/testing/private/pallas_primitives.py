"""Accesses of Refs as functions, and what else stands beside them."""

from jax.experimental import pallas as _pallas


def load(x_ref, idx, *, mask=None, other=None, cache_modifier=None, eviction_policy=None, volatile=False):
    """The elements at an index; `other` where the mask is false."""
    from jax.experimental.pallas import triton

    return triton.load(x_ref.at[idx], mask=mask, other=other)


def store(x_ref, idx, val, *, mask=None, eviction_policy=None):
    """Writes the elements at an index where the mask is true."""
    from jax.experimental.pallas import triton

    return triton.store(x_ref.at[idx], val, mask=mask)


def swap(x_ref, idx, val, *, mask=None, eviction_policy=None, _function_name="swap"):
    """Writes the elements at an index where the mask is true, and gives back what was there."""
    return _pallas.swap(x_ref, idx, val, mask=mask)


def __getattr__(name):
    return getattr(_pallas, name)

"""`jax.ops`: reductions over segments that an array of numbers names."""
import jax.numpy as jnp


def _segments(data, ids, count, start, update, mode):
    data, ids = jnp.asarray(data), jnp.asarray(ids)
    if count is None:
        count = int(jnp.max(ids)) + 1
    if count < 0:
        raise ValueError("num_segments must be non-negative.")
    out = jnp.full((count,) + data.shape[ids.ndim:], start, dtype=data.dtype)
    return update(out.at[ids], data, mode)


def _lowest(dtype):
    return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def _highest(dtype):
    return jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


def segment_sum(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False,
                bucket_size=None, mode=None):
    return _segments(data, segment_ids, num_segments, 0, lambda at, x, mode: at.add(x, mode=mode), mode)


def segment_prod(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False,
                 bucket_size=None, mode=None):
    return _segments(data, segment_ids, num_segments, 1, lambda at, x, mode: at.mul(x, mode=mode), mode)


def segment_max(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False,
                bucket_size=None, mode=None):
    start = _lowest(jnp.asarray(data).dtype)
    return _segments(data, segment_ids, num_segments, start, lambda at, x, mode: at.max(x, mode=mode), mode)


def segment_min(data, segment_ids, num_segments=None, indices_are_sorted=False, unique_indices=False,
                bucket_size=None, mode=None):
    start = _highest(jnp.asarray(data).dtype)
    return _segments(data, segment_ids, num_segments, start, lambda at, x, mode: at.min(x, mode=mode), mode)

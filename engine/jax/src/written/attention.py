"""Attention and small activations of `jax.nn`."""
import jax
import jax.numpy as jnp
from jax import lax


def identity(x):
    return jnp.asarray(x)


def log1mexp(x):
    x = jnp.asarray(x) * 1.0
    small = x < jnp.log(2.0)
    return jnp.where(
        small,
        jnp.log(-jnp.expm1(-jnp.where(small, x, 1.0))),
        jnp.log1p(-jnp.exp(-jnp.where(small, 1.0, x))),
    )


def logmeanexp(x, axis=None, where=None, keepdims=False):
    total = jax.nn.logsumexp(x, axis=axis, where=where, keepdims=keepdims)
    count = jnp.sum(jnp.broadcast_to(True if where is None else where, jnp.shape(x)), axis=axis, keepdims=keepdims)
    return total - jnp.log(count)


def sparse_plus(x):
    x = jnp.asarray(x)
    return jnp.where(x <= -1.0, 0.0, jnp.where(x >= 1.0, x, (x + 1.0) ** 2 / 4))


def sparse_sigmoid(x):
    return 0.5 * jnp.clip(x + 1.0, 0.0, 2.0)


def _visible(shape, mask, causal, query_lengths, key_lengths, window):
    """Which keys (last axis) each query (axis before) sees; None for all."""
    batch, _, queries, keys = shape
    visible = jnp.ones((1, 1, queries, keys), dtype=bool) if mask is None else mask.astype(bool)
    rows = jnp.arange(queries)[:, None]
    columns = jnp.arange(keys)[None, :]
    if causal:
        visible = visible & (columns <= rows)
    if window is not None:
        left, right = window
        visible = visible & (rows <= columns + left) & (rows >= columns - right)
    if query_lengths is not None:
        visible = visible & (rows[None, None] < query_lengths.reshape(-1, 1, 1, 1))
    if key_lengths is not None:
        visible = visible & (columns[None, None] < key_lengths.reshape(-1, 1, 1, 1))
    return visible


def _check(array, shape, dtype, name):
    if array is None:
        return
    if array.ndim != len(shape):
        raise ValueError(f"{name} ndim should be {len(shape)}, but got {array.ndim}")
    if dtype is not None and array.dtype != dtype:
        raise ValueError(f"{name} dtype should be {jnp.dtype(dtype)}, but got {array.dtype}")
    for wanted, found in zip(shape, array.shape):
        if wanted not in (-1, found):
            raise ValueError(f"{name} shape should be {shape}: but got {array.shape}")


def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False,
                          query_seq_lengths=None, key_value_seq_lengths=None, local_window_size=None,
                          implementation=None, return_residual=False):
    if implementation not in (None, "xla"):
        raise ValueError(f"Unsupported implementation option: {implementation}")
    output_shape = jnp.shape(query)

    def four(array):
        if array is None:
            return None
        array = jnp.asarray(array)
        return array.reshape((1,) * (4 - array.ndim) + array.shape)

    query, key, value, bias, mask = map(four, (query, key, value, bias, mask))
    if isinstance(local_window_size, int):
        local_window_size = (local_window_size, local_window_size)
    lengths = [None if n is None else jnp.asarray(n) for n in (query_seq_lengths, key_value_seq_lengths)]
    batch, keys, key_heads, width = key.shape
    _check(value, [batch, keys, key_heads, width], key.dtype, "value")
    _check(query, [batch, -1, -1, width], key.dtype, "query")
    _check(mask, [-1] * 4, jnp.bool_, "mask")
    _check(bias, [-1] * 4, None, "bias")
    _check(lengths[0], [batch], jnp.int32, "query_seq_lengths")
    _check(lengths[1], [batch], jnp.int32, "key_value_seq_lengths")
    _, queries, heads, _ = query.shape
    if heads % key_heads != 0:
        raise ValueError("The number of query heads must be a multiple of key/value heads, but got "
                         f"{heads} vs {key_heads}")
    # Several query heads share a key head: each group repeats its keys and values.
    if heads != key_heads:
        key = jnp.repeat(key, heads // key_heads, axis=2)
        value = jnp.repeat(value, heads // key_heads, axis=2)
    logits_dtype = jnp.promote_types(query.dtype, jnp.float32)
    logits = jnp.einsum("BTNH,BSNH->BNTS", query, key, preferred_element_type=logits_dtype)
    scale = 1.0 / width ** 0.5 if scale is None else scale
    logits *= jnp.array(scale, dtype=logits.dtype)
    if bias is not None:
        logits = (logits + bias).astype(logits.dtype)
    if mask is not None or is_causal or local_window_size is not None or any(n is not None for n in lengths):
        visible = _visible(logits.shape, mask, is_causal, *lengths, local_window_size)
        lowest = jnp.asarray(-0.7 * float(jnp.finfo(logits.dtype).max), dtype=logits.dtype)
        logits = jnp.where(visible, logits, lowest)
    logits = logits.astype(jnp.float32)
    weights = jax.nn.softmax(logits, axis=-1).astype(key.dtype)
    result = jnp.einsum("BNTS,BSNH->BTNH", weights, value)
    if lengths[0] is not None:
        inside = jnp.arange(queries)[None, :] < lengths[0][:, None]
        result *= inside[:, :, None, None].astype(result.dtype)
    result = result.reshape(output_shape)
    if not return_residual:
        return result
    residual = jax.nn.logsumexp(logits, axis=-1).astype(key.dtype)
    residual = jnp.transpose(residual, (0, 2, 1)).reshape(output_shape[:-1])
    return result, lax.stop_gradient(residual)


def scaled_matmul(lhs, rhs, lhs_scales, rhs_scales, preferred_element_type=None):
    if preferred_element_type is None:
        preferred_element_type = jnp.float32

    def scaled(operand, scales):
        block = operand.shape[-1] // scales.shape[-1]
        return operand.astype(preferred_element_type) * jnp.repeat(scales.astype(preferred_element_type), block, axis=-1)

    return jnp.einsum("BMK,BNK->BMN", scaled(lhs, lhs_scales), scaled(rhs, rhs_scales),
                      preferred_element_type=preferred_element_type)

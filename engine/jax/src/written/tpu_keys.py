"""Keys for the random generators of TPUs, and what is drawn from the generator of a core."""
import math

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def to_pallas_key(key):
    """A key that kernels draw from. The bits are those of Threefry: the hardware's generator is not simulated."""
    return key if jax.dtypes.issubdtype(key.dtype, jax.dtypes.prng_key) else jax.random.wrap_key_data(key)


def _bits(shape):
    return lax.bitcast_convert_type(pltpu.prng_random_bits(shape), jnp.uint32)


def stateful_bits(shape=(), dtype=None):
    if dtype is not None and jax.dtypes.itemsize_bits(dtype) != 32:
        raise AssertionError("Bit width must be 32")
    return _bits(shape)


def stateful_uniform(shape=(), dtype=float, minval=0.0, maxval=1.0):
    dtype = jnp.dtype(dtype) if dtype is not float else jnp.dtype(jnp.float32)
    if dtype != jnp.float32:
        raise AssertionError("Bit width must be 32")
    minval, maxval = jnp.asarray(minval, dtype), jnp.asarray(maxval, dtype)
    # The bits are a mantissa below one.
    floats = lax.bitcast_convert_type((_bits(shape) >> 9) | jnp.uint32(0x3F800000), jnp.float32) - 1.0
    return jnp.maximum(minval, floats * (maxval - minval) + minval)


def stateful_normal(shape=(), dtype=float):
    lowest = jnp.nextafter(jnp.float32(-1.0), jnp.float32(0.0))
    return jnp.float32(math.sqrt(2.0)) * lax.erf_inv(stateful_uniform(shape, dtype, lowest, 1.0))


def stateful_bernoulli(p=0.5, shape=None, mode="low"):
    shape = jnp.shape(p) if shape is None else shape
    return stateful_uniform(shape) < p


def sample_block(sampler_fn, global_key, block_size, tile_size, total_size, block_index=None, **kwargs):
    if len(block_size) != len(tile_size):
        raise ValueError(
            f"block_size ({len(block_size)}) and tile_size ({len(tile_size)}) must have the same length.")
    if block_index is None:
        block_index = tuple(pl.program_id(axis) for axis in range(len(block_size)))
    counts = [block // tile for block, tile in zip(block_size, tile_size)]
    totals = [-(-total // tile) for total, tile in zip(total_size, tile_size)]

    def number(place):
        """The row-major number of a tile of this block among all tiles."""
        found, stride = 0, 1
        for i in reversed(range(len(place))):
            found += (place[i] + block_index[i] * counts[i]) * stride
            stride *= totals[i]
        return found

    def part(axis, prefix):
        if axis == len(counts):
            return sampler_fn(jax.random.fold_in(global_key, number(prefix)), shape=tile_size, **kwargs)
        return jnp.concatenate([part(axis + 1, (*prefix, i)) for i in range(counts[axis])], axis=axis)

    return part(0, ())

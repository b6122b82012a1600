"""`jax.nn.initializers`: functions `(key, shape, dtype) -> array` that make parameters."""
import math

import jax
import jax.numpy as jnp


def zeros(key, shape, dtype=jnp.float32, out_sharding=None):
    return jnp.zeros(shape, dtype)


def ones(key, shape, dtype=jnp.float32, out_sharding=None):
    return jnp.ones(shape, dtype)


def constant(value, dtype=jnp.float32):
    def init(key, shape, dtype=dtype, out_sharding=None):
        return jnp.full(shape, value, dtype=dtype)

    return init


def uniform(scale=1e-2, dtype=jnp.float32):
    def init(key, shape, dtype=dtype, out_sharding=None):
        return jax.random.uniform(key, shape, dtype) * jnp.array(scale, dtype)

    return init


def normal(stddev=1e-2, dtype=jnp.float32):
    def init(key, shape, dtype=dtype, out_sharding=None):
        return jax.random.normal(key, shape, dtype) * jnp.array(stddev, dtype)

    return init


def truncated_normal(stddev=1e-2, dtype=jnp.float32, lower=-2.0, upper=2.0):
    def init(key, shape, dtype=dtype, out_sharding=None):
        return jax.random.truncated_normal(key, lower, upper, shape, dtype) * jnp.array(stddev, dtype)

    return init


def _fans(shape, in_axis, out_axis, batch_axis):
    if len(shape) <= 1:
        raise ValueError(
            f"Can't compute input and output sizes of a {len(shape)}-dimensional weights tensor with default in_axis. "
            "Must be at least 2D or specify in_axis explicitly.")

    def extent(axes):
        axes = [axes] if isinstance(axes, int) else axes
        return math.prod(shape[axis] for axis in axes)

    inside, outside, batch = extent(in_axis), extent(out_axis), extent(batch_axis)
    receptive = math.prod(shape) / inside / outside / batch
    return inside * receptive, outside * receptive


def variance_scaling(scale, mode, distribution, in_axis=-2, out_axis=-1, batch_axis=(), dtype=jnp.float32):
    def init(key, shape, dtype=dtype, out_sharding=None):
        fan_in, fan_out = _fans(shape, in_axis, out_axis, batch_axis)
        if mode == "fan_in":
            denominator = fan_in
        elif mode == "fan_out":
            denominator = fan_out
        elif mode == "fan_avg":
            denominator = (fan_in + fan_out) / 2
        elif mode == "fan_geo_avg":
            denominator = (fan_in * fan_out) ** 0.5
        else:
            raise ValueError(f"invalid mode for variance scaling initializer: {mode}")
        variance = jnp.array(scale / denominator, dtype=dtype)
        if distribution == "normal":
            return jax.random.normal(key, shape, dtype) * jnp.sqrt(variance)
        if distribution == "uniform":
            return jax.random.uniform(key, shape, dtype, -1) * jnp.sqrt(3 * variance)
        if distribution == "truncated_normal":
            # The standard deviation of the normal distribution cut at two.
            stddev = jnp.sqrt(variance) / jnp.array(0.87962566103423978, dtype)
            return jax.random.truncated_normal(key, -2, 2, shape, dtype) * stddev
        raise ValueError(f"invalid distribution for variance scaling initializer: {distribution}")

    return init


def _scaled(scale, mode, distribution):
    def make(in_axis=-2, out_axis=-1, batch_axis=(), dtype=jnp.float32):
        return variance_scaling(scale, mode, distribution, in_axis=in_axis, out_axis=out_axis, batch_axis=batch_axis,
                                dtype=dtype)

    return make


xavier_uniform = glorot_uniform = _scaled(1.0, "fan_avg", "uniform")
xavier_normal = glorot_normal = _scaled(1.0, "fan_avg", "truncated_normal")
lecun_uniform = _scaled(1.0, "fan_in", "uniform")
lecun_normal = _scaled(1.0, "fan_in", "truncated_normal")
kaiming_uniform = he_uniform = _scaled(2.0, "fan_in", "uniform")
kaiming_normal = he_normal = _scaled(2.0, "fan_in", "truncated_normal")




def orthogonal(scale=1.0, column_axis=-1, dtype=None):
    def init(key, shape, dtype=dtype, out_sharding=None):
        if out_sharding is not None:
            raise NotImplementedError
        dtype = jnp.result_type(float) if dtype is None else dtype
        if len(shape) < 2:
            raise ValueError("orthogonal initializer requires at least a 2D shape")
        if any(extent == 0 for extent in shape):
            return jnp.zeros(shape, dtype=dtype)
        columns = shape[column_axis]
        matrix = jax.random.orthogonal(key, math.prod(shape) // columns, (), dtype, columns)
        others = list(shape)
        del others[column_axis]
        return jnp.array(scale, dtype) * jnp.moveaxis(jnp.reshape(matrix, (*others, columns)), -1, column_axis)

    return init


def delta_orthogonal(scale=1.0, column_axis=-1, dtype=None):
    def init(key, shape, dtype=dtype, out_sharding=None):
        if out_sharding is not None:
            raise NotImplementedError
        dtype = jnp.result_type(float) if dtype is None else dtype
        if len(shape) not in (3, 4, 5):
            raise ValueError("Delta orthogonal initializer requires a 3D, 4D or 5D shape.")
        if shape[-1] < shape[-2]:
            raise ValueError("`fan_in` must be less or equal than `fan_out`. ")
        matrix = orthogonal(scale=scale, column_axis=column_axis, dtype=dtype)(key, shape[-2:])
        middle = tuple((extent - 1) // 2 for extent in shape[:-2])
        return jnp.zeros(shape, dtype=dtype).at[middle].set(matrix)

    return init


Initializer = object

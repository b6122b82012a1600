"""Distributions of `jax.random` that are compositions of the native ones."""
import jax
import jax.numpy as jnp
from jax import lax, random


def _shape(shape, *parameters):
    wanted = jnp.broadcast_shapes(*(jnp.shape(p) for p in parameters))
    return wanted if shape is None else tuple(shape)


def _dtype(dtype):
    return jnp.result_type(float) if dtype in (None, float) else jnp.dtype(dtype)


def rademacher(key, shape=(), dtype=int):
    dtype = jnp.result_type(int) if dtype is int else jnp.dtype(dtype)
    return (2 * random.bernoulli(key, 0.5, shape) - 1).astype(dtype)


def laplace(key, shape=(), dtype=float):
    dtype = _dtype(dtype)
    u = random.uniform(key, shape, dtype, minval=-1.0 + jnp.finfo(dtype).epsneg, maxval=1.0)
    return lax.mul(lax.sign(u), lax.log1p(lax.neg(lax.abs(u))))


def logistic(key, shape=(), dtype=float):
    dtype = _dtype(dtype)
    x = random.uniform(key, shape, dtype, minval=jnp.finfo(dtype).eps, maxval=1.0)
    return jnp.log(x / (1.0 - x))


def cauchy(key, shape=(), dtype=float):
    dtype = _dtype(dtype)
    u = random.uniform(key, shape, dtype, minval=jnp.finfo(dtype).eps, maxval=1.0)
    return lax.tan(jnp.asarray(jnp.pi, dtype) * (u - 0.5))


def pareto(key, b, shape=None, dtype=float):
    dtype = _dtype(dtype)
    shape = _shape(shape, b)
    b = jnp.broadcast_to(jnp.asarray(b, dtype), shape)
    return lax.exp(random.exponential(key, shape, dtype) / b)


def rayleigh(key, scale, shape=None, dtype=float):
    dtype = _dtype(dtype)
    shape = _shape(shape, scale)
    u = random.uniform(key, shape, dtype)
    log_u = lax.log(jnp.maximum(u, jnp.finfo(dtype).tiny))
    return lax.sqrt(log_u * jnp.asarray(-2.0, dtype)) * jnp.broadcast_to(jnp.asarray(scale, dtype), shape)


def lognormal(key, sigma=1.0, shape=None, dtype=float):
    dtype = _dtype(dtype)
    shape = _shape(shape, sigma)
    return lax.exp(random.normal(key, shape, dtype) * jnp.broadcast_to(jnp.asarray(sigma, dtype), shape))


def weibull_min(key, scale, concentration, shape=(), dtype=float):
    dtype = _dtype(dtype)
    u = random.uniform(key, shape, dtype)
    return jnp.power(-jnp.log1p(-u), 1.0 / concentration) * scale


def maxwell(key, shape=(), dtype=float):
    dtype = _dtype(dtype)
    return jnp.linalg.norm(random.normal(key, tuple(shape) + (3,), dtype), axis=-1)


def double_sided_maxwell(key, loc, scale, shape=(), dtype=float):
    dtype = _dtype(dtype)
    shape = tuple(shape) + jnp.broadcast_shapes(jnp.shape(loc), jnp.shape(scale))
    maxwell_key, sign_key = random.split(key)
    return random.maxwell(maxwell_key, shape, dtype) * random.rademacher(sign_key, shape, dtype) * scale + loc


def multivariate_normal(key, mean, cov, shape=None, dtype=None, method="cholesky"):
    if method != "cholesky":
        raise NotImplementedError(f"multivariate_normal with method={method!r} is not provided by the workbench yet")
    mean, cov = jnp.asarray(mean) * 1.0, jnp.asarray(cov) * 1.0
    dtype = _dtype(dtype)
    shape = jnp.broadcast_shapes(mean.shape[:-1], cov.shape[:-2]) if shape is None else tuple(shape)
    factor = jnp.linalg.cholesky(cov.astype(dtype))
    normal = random.normal(key, shape + mean.shape[-1:], dtype)
    return mean.astype(dtype) + jnp.einsum("...ij,...j->...i", factor, normal)

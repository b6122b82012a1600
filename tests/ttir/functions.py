"""Elementary functions: the device library's for f32, MLIR's for bf16."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plt


def call(kernel, x):
  return pl.pallas_call(
      kernel,
      out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
      compiler_params=plt.CompilerParams(num_warps=1),
  )(x)


def exponentials(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jnp.exp(x) + jnp.exp2(x) + jnp.expm1(x) + jnp.log(x) + jnp.log1p(x)


def roots(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jnp.sqrt(x) + jax.lax.rsqrt(x) + jnp.cbrt(x) + jnp.floor(x) - jnp.ceil(x) + jax.lax.pow(x, x)


def angles(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jnp.sin(x) + jnp.cos(x) + jnp.tan(x) + jnp.arcsin(x) + jnp.arccos(x) + jnp.arctan(x) + jnp.arctan2(x, x)


def hyperbolic(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jnp.sinh(x) + jnp.cosh(x) + jnp.tanh(x) + jnp.arcsinh(x) + jnp.arccosh(x) + jnp.arctanh(x)


def narrow(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jnp.exp(x) + jax.lax.rsqrt(x) + jnp.sin(x) + jnp.floor(x)


def bits(x_ref, o_ref):
  x = x_ref[...]
  o_ref[...] = jax.lax.population_count(x) + jax.lax.clz(x)


x = jnp.ones((4, 32), jnp.float32)
call(exponentials, x)
call(roots, x)
call(angles, x)
call(hyperbolic, x)
call(narrow, x.astype(jnp.bfloat16))
call(bits, x.astype(jnp.int32))

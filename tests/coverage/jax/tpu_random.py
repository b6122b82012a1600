"""Random bits by kernels of the TPU ops, called by themselves and as generators of `jax.random`."""

import functools

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.random import philox, threefry

key = jax.ShapeDtypeStruct((2,), jnp.uint32)
jax.eval_shape(functools.partial(threefry.plthreefry_random_bits, bit_width=32, shape=(512, 1024)), key)
jax.eval_shape(functools.partial(threefry.plthreefry_random_bits, bit_width=32, shape=(3, 100, 70)), key)
jax.eval_shape(functools.partial(philox.philox_random_bits, bit_width=32, shape=(512, 1024)), key)
jax.eval_shape(functools.partial(philox.philox_split, shape=(3,)), key)
jax.eval_shape(philox.philox_fold_in, key, jax.ShapeDtypeStruct((), jnp.uint32))

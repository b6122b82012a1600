"""Dtypes that programs list and compare with, and compute nothing with; the parts of a product; generators with children."""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

SHORT = {jnp.dtype(jnp.complex64): "c64", jnp.dtype(jnp.float32): "f32", np.dtype(np.complex128): "c128"}
x = jnp.ones(3)
print(SHORT[x.dtype], SHORT[np.dtype("complex64")], x.dtype == jnp.complex64, x.dtype in (jnp.complex64, jnp.complex128))
print(np.dtype(np.complex64), repr(np.dtype("complex128")), np.dtype(np.complex64).itemsize, np.dtype(np.complex64).kind)
print(np.dtype(np.complex64) == np.complex64, np.dtype("complex64") == "complex64", np.dtype("complex64") != np.complex128)
print(issubclass(np.complex64, np.complexfloating), issubclass(np.complex64, np.inexact), np.csingle is np.complex64)
print(ml_dtypes.float6_e2m3fn.__name__, np.dtype(ml_dtypes.float6_e3m2fn).name, np.dtype(ml_dtypes.float6_e3m2fn).itemsize)

algorithm = jax.lax.DotAlgorithm(jnp.bfloat16, jnp.bfloat16, jnp.float32, num_primitive_operations=3)
print(algorithm.accumulation_type is jnp.float32, algorithm.num_primitive_operations, algorithm.lhs_component_count)
print(isinstance(algorithm, tuple), len(algorithm), type(algorithm).__name__)
print(isinstance(jax.jit(lambda x: x), jax.stages.Wrapped), isinstance(len, jax.stages.Wrapped))

parent = np.random.default_rng(0)
children = parent.spawn(2) + parent.spawn(1)
print([child.random() for child in children], children[0].spawn(1)[0].integers(1000, size=4))
print(np.random.default_rng([1, 2, 3, 4, 5, 6]).spawn(1)[0].standard_normal(3), parent.random())
print(np.random.default_rng(2**130 + 7).spawn(1)[0].random(2), parent.spawn(0))

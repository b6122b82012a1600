"""numpy arrays beside jax arrays: prints, reprs, double precision, strings of lists."""
import jax.numpy as jnp
import numpy as np

print(np.arange(3), repr(np.arange(3)), repr(np.arange(3.0)), repr(np.float32([1, 2])), repr(np.zeros((2, 2), np.int32)))
print(np.array([0.1, 1 / 3]), np.array([1e-300, 1.0]), np.array([1.0, 2.5], np.float16))
print(np.asarray(jnp.arange(3)), repr(np.asarray(jnp.ones(2))), type(np.asarray(jnp.ones(2))).__name__, type(jnp.ones(2)).__name__)
print(np.linspace(0, 1, 5), np.float32(0.1) + 0.2, np.arange(4) / 3)
print(np.array([True, False]), np.array([[1, 2], [3, 4]]).tolist(), jnp.ones((2, 2)).tolist())
print(np.array_repr(np.arange(3)), np.array_str(np.arange(3)), np.array2string(np.arange(3), separator=", "))
print(np.round(np.array([1.2345, 2.3456]), 2), np.pi, np.e, np.inf, -np.inf, np.nan, np.newaxis)
print((jnp.arange(3) + np.arange(3)).dtype, type(jnp.arange(3) + np.arange(3)).__name__, type(np.arange(3) + jnp.arange(3)).__name__)
print(np.sqrt(2), np.prod((2, 3, 4)), np.ceil(2.1), np.log2(8), np.sqrt(np.float32(2)), np.array(5), np.array(2.5).item())

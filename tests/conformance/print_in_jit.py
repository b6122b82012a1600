"""print inside traced functions: what a tracer looks like, and that it happens once."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@jax.jit
def f(x, y):
  print("tracing", x.shape, x.dtype, x.ndim, y.shape, y.dtype, jnp.shape(x), type(x.shape).__name__)
  return x + y


print(f(jnp.arange(3), 1))
print(f(jnp.arange(3) * 2, 5))
print(f(jnp.arange(4), 5))
print(f(jnp.arange(3.0), 5.5))


def kernel(x_ref, o_ref):
  print("kernel", x_ref.shape, o_ref.shape, x_ref.dtype, x_ref[...].shape, pl.program_id(0).dtype)
  o_ref[...] = x_ref[...]


call = pl.pallas_call(kernel, grid=(3,), out_shape=jax.ShapeDtypeStruct((2,), jnp.float32), interpret=True)
print(call(jnp.ones(2)))
print(isinstance(jnp.ones(2), jax.Array), isinstance(1.0, jax.Array), isinstance(jnp.ones(2), jnp.ndarray))
print(jax.jit(lambda x: isinstance(x, jax.Array) and not isinstance(x, float))(1.0))

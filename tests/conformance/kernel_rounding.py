"""Where kernels round: products that are added, and divisions by what was broadcast, to the last digit."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.linspace(0.1, 3.0, 24).reshape(4, 6)
y = jnp.cos(x * 7) + 1.3


def kernel(x_ref, y_ref, sum_ref, row_ref, constant_ref, plain_ref):
  x, y = x_ref[...], y_ref[...]
  sum_ref[...] = x * y + x
  row_ref[...] = x / y[:, :1]
  constant_ref[...] = x / 3.7 - x * 0.3
  plain_ref[...] = x / y


out = jax.ShapeDtypeStruct(x.shape, x.dtype)
call = pl.pallas_call(kernel, out_shape=(out, out, out, out), interpret=True)
for result in call(x, y):
  print(result)


@jax.jit
def softmax(x):
  e = jnp.exp(x - x.max(axis=1, keepdims=True))
  return e / e.sum(axis=1, keepdims=True)


print(softmax(x))
print(jax.jit(lambda x, y: (x * y - 1.1 * x, 2.5 - x * y, x / 7))(x, y))

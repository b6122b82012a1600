"""Remainders and quotients of signs, zeros, infinities and NaN: numpy's zeros have the sign of the divisor, jax.numpy's have not."""

import numpy as np
import jax
import jax.numpy as jnp

NUMBERS = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 9.0, -9.0, 0.1, -0.1, float('inf'), float('-inf'), float('nan')]
WHOLE = [0, 1, -1, 7, -7, 3, -3, -128, 127]


def show(name, results):
  for result in results if isinstance(results, tuple) else (results,):
    result = np.asarray(result)
    print(name, result.dtype, ' '.join(repr(number) for number in result.ravel().tolist()))


np.seterr(all='ignore')
for name in ['mod', 'remainder', 'fmod', 'floor_divide', 'divmod']:
  for dtype in [np.float32, np.float16, np.float64]:
    a, b = np.meshgrid(np.array(NUMBERS, dtype), np.array(NUMBERS, dtype), indexing='ij')
    show(f'np.{name}', getattr(np, name)(a, b))
    if dtype is not np.float64:
      show(f'jnp.{name}', getattr(jnp, name)(jnp.asarray(a), jnp.asarray(b)))
  for dtype in [np.int32, np.int8, np.uint8]:
    a, b = np.meshgrid(np.array(WHOLE).astype(dtype), np.array(WHOLE).astype(dtype), indexing='ij')
    show(f'np.{name}', getattr(np, name)(a, b))
    show(f'jnp.{name}', getattr(jnp, name)(jnp.asarray(a), jnp.asarray(b)))

# One number that everything is divided by.
for divisor in [1, -1, 2.5, -2.5, 0.0, float('inf'), float('-inf')]:
  numbers = np.array(NUMBERS, np.float32)
  show(f'np % {divisor}', (numbers % divisor, numbers // divisor))
  show(f'jnp % {divisor}', (jnp.asarray(numbers) % divisor, jnp.asarray(numbers) // divisor))
  show(f'scalar % {divisor}', (np.float32(-9.0) % np.float32(divisor), np.float64(-9.0) // divisor))


def refused(function, *args, **kwargs):
  try:
    function(*args, **kwargs)
  except TypeError as error:
    print(str(error).split('\n')[0].split(' The problematic ')[1])


@jax.jit
def traced(x, y=1, *rest, **more):
  return x


class Model:

  def apply(self, x):
    return x


# An argument that is no array is named by its path.
refused(traced, 'a')
refused(traced, 1, 'b')
refused(traced, {'k': [1, object]})
refused(traced, 1, 2, 3, 'c')
refused(traced, 1, z='q')
refused(traced, 1, y='b')
refused(traced, (1, {'a': None, 'b': 'x'}))
refused(jax.jit(lambda *a: a[0]), 1, 'x')
refused(jax.jit(lambda n, x: x, static_argnums=0), 3, 'a')
refused(jax.jit(lambda n, x: x, static_argnames='n'), x='a', n=3)
refused(jax.jit(Model().apply), 'a')
refused(jax.eval_shape, lambda x: x, 'a')

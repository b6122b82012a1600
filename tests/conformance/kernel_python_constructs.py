"""Python in kernels: zip over Refs, comprehensions, try, dictionaries, nested functions, classes."""
import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


@dataclasses.dataclass(frozen=True)
class Settings:
  scale: float = 1.0
  steps: tuple[int, ...] = (1, 2)

  @property
  def total(self):
    return sum(self.steps)


def helper(value, *, settings):
  for step in settings.steps:
    value = value * settings.scale + step
  return value


def kernel(*refs, settings, names):
  *ins, o_ref = refs
  values = {name: ref[...] for name, ref in zip(names, ins)}
  parts = [helper(v, settings=settings) for v in values.values()]
  result = functools.reduce(jnp.add, parts)
  try:
    result = result + values["z"]
  except KeyError:
    result = result + settings.total
  o_ref[...] = result if len(ins) > 1 else -result


x, y = jnp.arange(4.0), jnp.ones(4)
for names, args in ((("x",), (x,)), (("x", "y"), (x, y)), (("x", "z"), (x, y))):
  call = pl.pallas_call(functools.partial(kernel, settings=Settings(2.0), names=names), out_shape=x, interpret=True)
  print(names, call(*args))


class Scaler:
  def __init__(self, factor):
    self.factor = factor

  def __call__(self, x_ref, o_ref):
    o_ref[...] = x_ref[...] * self.factor

  def method(self, x_ref, o_ref):
    o_ref[...] = x_ref[...] + self.factor


print(pl.pallas_call(Scaler(3), out_shape=x, interpret=True)(x), pl.pallas_call(Scaler(5).method, out_shape=x, interpret=True)(x))

"""Arithmetic of Pallas, under the name that some kernels import it by."""

from jax.experimental.pallas import cdiv


def align_to(a, alignment):
  return cdiv(a, alignment) * alignment


def strides_from_shape(shape):
  strides, size = [], 1
  for extent in reversed(shape):
    strides.append(size)
    size *= extent
  return tuple(reversed(strides))


def next_power_of_2(x):
  if x < 0:
    raise ValueError("`next_power_of_2` requires a non-negative integer.")
  return 1 if x == 0 else 2 ** (x - 1).bit_length()

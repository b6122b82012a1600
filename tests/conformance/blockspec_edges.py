"""Blocks that reach past the end of their array: what is written there is seen again where the block comes back."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def launch(kernel, grid, in_specs, out_specs, out_shape, *args, **kwargs):
  return pl.pallas_call(kernel, grid=grid, in_specs=in_specs, out_specs=out_specs, out_shape=out_shape,
                        interpret=True, **kwargs)(*args)


def count_nan(x_ref, o_ref):
  o_ref[...] = jnp.sum(jnp.isnan(x_ref[...]).astype(jnp.int32)).reshape(o_ref.shape)


x = jnp.arange(35, dtype=jnp.float32).reshape(5, 7)
print(launch(count_nan, (3, 2), [pl.BlockSpec((2, 4), lambda i, j: (i, j))], pl.BlockSpec((1, 1), lambda i, j: (i, j)),
             jax.ShapeDtypeStruct((3, 2), jnp.int32), x))


def shift(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2.0 + 1.0


for block in (2, 4), (5, 3), (8, 7), (3, 8), (1, 2):
  spec = pl.BlockSpec(block, lambda i, j: (i, j))
  grid = (pl.cdiv(5, block[0]), pl.cdiv(7, block[1]))
  print(block, launch(shift, grid, [spec], spec, x, x).sum())


spec = pl.BlockSpec((2, 4), lambda i, j: (i, j))
print(launch(shift, (3, 2), [spec], spec, x, x, input_output_aliases={0: 0}))


# The padding of an output that starts as an input, and of one that starts as nothing.
def seen(x_ref, o_ref, n_ref):
  n_ref[...] = jnp.sum(jnp.isnan(o_ref[...]).astype(jnp.int32)).reshape(n_ref.shape)
  o_ref[...] = x_ref[...]


number = pl.BlockSpec((1, 1), lambda i, j: (i, j))
for aliases in {}, {0: 0}:
  out, n = launch(seen, (3, 2), [spec], [spec, number],
                  [x, jax.ShapeDtypeStruct((3, 2), jnp.int32)], x, input_output_aliases=aliases)
  print(out.sum(), n)


# Each block comes twice, with others in between: in the second round its padding holds what the first one wrote.
def rounds(o_ref, n_ref):
  first = pl.program_id(0) == 0
  n_ref[...] = jnp.where(first, 0.0, jnp.sum(o_ref[...])).reshape(n_ref.shape)
  o_ref[...] = jnp.full(o_ref.shape, 3.0)


out, n = launch(rounds, (2, 3), [], [pl.BlockSpec((2, 4), lambda r, i: (i, 0)), pl.BlockSpec((1, 1), lambda r, i: (r, i))],
                [jax.ShapeDtypeStruct((5, 3), jnp.float32), jax.ShapeDtypeStruct((2, 3), jnp.float32)])
print(out, n)


# Blocks that stay for a while, in order: a sum along the last axis of the grid.
def accumulate(x_ref, o_ref):
  @pl.when(pl.program_id(2) == 0)
  def _():
    o_ref[...] = jnp.zeros(o_ref.shape, jnp.float32)

  o_ref[...] += x_ref[...]


z = jnp.arange(3 * 5 * 7, dtype=jnp.float32).reshape(3, 5, 7)
print(launch(accumulate, (3, 2, 3), [pl.BlockSpec((None, 2, 4), lambda i, j, k: (k, i, j))],
             pl.BlockSpec((2, 4), lambda i, j, k: (i, j)), jax.ShapeDtypeStruct((5, 7), jnp.float32), z))


# Programs past the last block, and before the first one, come to blocks that others have written.
def numbered(o_ref):
  o_ref[...] = o_ref[...] * 0 + pl.program_id(0)


def started(x_ref, o_ref):
  o_ref[...] = x_ref[...] + pl.program_id(0)


y = jnp.arange(7, dtype=jnp.int32)
for index in (lambda i: (i,)), (lambda i: (i - 1,)), (lambda i: (2 - i,)), (lambda i: (i // 2,)), (lambda i: (2 * i,)):
  for grid in (2,), (3,), (5,):
    print(launch(started, grid, [pl.BlockSpec((3,), index)], pl.BlockSpec((3,), index), y, y))


# An input that a program writes to: the next one with its block sees it, past the end, too.
def writes_input(x_ref, n_ref):
  n_ref[...] = jnp.sum(jnp.isnan(x_ref[...]).astype(jnp.int32)).reshape(n_ref.shape)
  x_ref[...] = jnp.full(x_ref.shape, 1.0)


print(launch(writes_input, (2, 3), [pl.BlockSpec((2, 7), lambda r, i: (i, 0))],
             pl.BlockSpec((1, 1), lambda r, i: (r, i)), jax.ShapeDtypeStruct((2, 3), jnp.int32), x))


# Offsets in elements, with elements before the first and after the last.
def window(x_ref, o_ref):
  o_ref[...] = jnp.nansum(x_ref[...]).reshape(o_ref.shape)


print(launch(window, (4,), [pl.BlockSpec((pl.Element(4, (3, 2)),), lambda i: (3 * i,))],
             pl.BlockSpec((1,), lambda i: (i,)), jax.ShapeDtypeStruct((4,), jnp.float32), x[0]))

# Many programs of few elements.
for shape, block in ((1001,), (8,)), ((999, 5), (1, 8)), ((999, 5), (4, 8)), ((3, 4099), (1, 16)), ((3, 4099), (2, 16)):
  x = jnp.arange(shape[0] * (shape[1] if len(shape) > 1 else 1), dtype=jnp.float32).reshape(shape) % 13
  grid = tuple(pl.cdiv(size, step) for size, step in zip(shape, block))
  spec = pl.BlockSpec(block, lambda *ids: ids)
  out = launch(shift, grid, [spec], spec, x, x)
  print(shape, block, out.sum(), out.ravel()[-3:])
  if len(shape) == 1:
    out = launch(shift, grid, [spec], spec, x, x, input_output_aliases={0: 0})
    print(out.sum(), out[-3:])

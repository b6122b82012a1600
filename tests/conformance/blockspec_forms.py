"""BlockSpecs with None and squeezed axes, no shape, no map, keywords, and offsets in maps."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

x = jnp.arange(24).reshape(4, 6)


def show(name, in_spec, out_spec, grid, shape):
  def kernel(x_ref, o_ref):
    print(name, "x", x_ref.shape, "o", o_ref.shape)
    o_ref[...] = x_ref[...] + 100 * pl.program_id(0)
  out = jax.ShapeDtypeStruct(shape, x.dtype)
  print(pl.pallas_call(kernel, grid=grid, in_specs=[in_spec], out_specs=out_spec,
                       out_shape=out, interpret=True)(x))


show("none", pl.BlockSpec((None, 6), lambda i: (i, 0)), pl.BlockSpec((None, 6), lambda i: (i, 0)), (4,), (4, 6))
show("squeezed", pl.BlockSpec((pl.Squeezed(), 3), lambda i: (i, 1)),
     pl.BlockSpec((pl.squeezed, 3), lambda i: (i, 0)), (4,), (4, 3))
show("blocked", pl.BlockSpec((pl.Blocked(2), pl.Blocked(6)), lambda i: (i, 0)),
     pl.BlockSpec((2, pl.Blocked(6)), lambda i: (i, 0)), (2,), (4, 6))
show("keywords", pl.BlockSpec(block_shape=(2, 6), index_map=lambda i: (i, 0)),
     pl.BlockSpec(index_map=lambda i: (i, 0), block_shape=(2, 6)), (2,), (4, 6))
show("no shape", pl.BlockSpec(None, lambda i: (0, 0)), pl.BlockSpec(), (2,), (4, 6))
show("no map", pl.BlockSpec((2, 3)), pl.BlockSpec((2, 3)), (1,), (2, 3))
show("constant", pl.BlockSpec((2, 3), lambda i: (1, 1)), pl.BlockSpec((2, 3), lambda i: (i, i)), (2,), (4, 6))
show("reversed", pl.BlockSpec((1, 6), lambda i: (3 - i, 0)), pl.BlockSpec((1, 6), lambda i: (i, 0)), (4,), (4, 6))
show("shared", pl.BlockSpec((2, 6), lambda i: (i // 2, 0)), pl.BlockSpec((2, 6), lambda i: (i, 0)), (4,), (8, 6))

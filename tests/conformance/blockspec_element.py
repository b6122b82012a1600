"""pl.Element: offsets instead of block indices, overlapping windows and padding."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def window_sum(x_ref, o_ref):
  o_ref[pl.program_id(0)] = x_ref[...].sum()


x = jnp.arange(1, 9)
windows = pl.pallas_call(
    window_sum,
    grid=(6,),
    in_specs=[pl.BlockSpec((pl.Element(3),), lambda i: (i,))],
    out_specs=pl.BlockSpec((6,), lambda i: (0,)),
    out_shape=jax.ShapeDtypeStruct((6,), jnp.int32),
    interpret=True,
)(x)
print(windows)


def copy(x_ref, o_ref):
  o_ref[...] = x_ref[...]


padded = pl.pallas_call(
    copy,
    grid=(5,),
    in_specs=[pl.BlockSpec((pl.Element(2, (1, 1)),), lambda i: (2 * i,))],
    out_specs=pl.BlockSpec((2,), lambda i: (i,)),
    out_shape=jax.ShapeDtypeStruct((10,), jnp.float32),
    interpret=True,
)(x.astype(jnp.float32))
print(padded)

mixed = pl.pallas_call(
    copy,
    grid=(2, 2),
    in_specs=[pl.BlockSpec((pl.Element(2), pl.Element(3)), lambda i, j: (i + 1, 3 * j))],
    out_specs=pl.BlockSpec((2, 3), lambda i, j: (i, j)),
    out_shape=jax.ShapeDtypeStruct((4, 6), jnp.int32),
    interpret=True,
)(jnp.arange(24).reshape(4, 6))
print(mixed)
print(pl.Element(3), pl.Element(2, (1, 0)), pl.Blocked(4), pl.Squeezed())

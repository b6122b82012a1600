"""pl.when: on program ids and loaded values, nested, in a row, on Python booleans."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref, *, debug):
  i = pl.program_id(0)
  o_ref[i, :] = jnp.zeros((4,), jnp.int32)

  @pl.when(i % 2 == 0)
  def even():
    o_ref[i, 0] = 1

    @pl.when(x_ref[i] > 2)
    def nested():
      o_ref[i, 1] = x_ref[i]

  @pl.when((i > 0) & (i < 3))
  def middle():
    o_ref[i, 2] = 5

  @pl.when(debug)
  def _():
    o_ref[i, 3] = 77

  pl.when(jnp.logical_not(debug))(lambda: None)


x = jnp.arange(4)
for debug in (False, True):
  print(pl.pallas_call(lambda *refs: kernel(*refs, debug=debug), grid=(4,),
                       out_shape=jax.ShapeDtypeStruct((4, 4), jnp.int32), interpret=True)(x))

"""plgpu.load and plgpu.store with masks and other."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def load(x_ref, o_ref):
  i = jnp.arange(8)
  o_ref[...] = plgpu.load(x_ref.at[i], mask=i < 5, other=-1)


def load_block(x_ref, o_ref):
  i = pl.program_id(0)
  position = i * 4 + jnp.arange(4)
  values = plgpu.load(x_ref.at[pl.ds(i * 4, 4)], mask=position % 2 == 0, other=0)
  plgpu.store(o_ref.at[pl.ds(i * 4, 4)], values * 10)


def store(x_ref, o_ref):
  o_ref[...] = jnp.full((8,), -7)
  plgpu.store(o_ref, x_ref[...], mask=x_ref[...] > 3)


def no_mask(x_ref, o_ref):
  plgpu.store(o_ref, plgpu.load(x_ref) + 1)


x = jnp.arange(8)
for kernel, grid in ((load, (1,)), (load_block, (2,)), (store, (1,)), (no_mask, (1,))):
  print(kernel.__name__, pl.pallas_call(kernel, out_shape=x, grid=grid, interpret=True)(x))


def load2d(x_ref, o_ref):
  rows, columns = jnp.arange(4)[:, None], jnp.arange(4)[None, :]
  mask = (rows < 3) & (columns < 2)
  o_ref[...] = plgpu.load(x_ref.at[:, :], mask=mask, other=0.5)


y = jnp.arange(16.0).reshape(4, 4)
print(pl.pallas_call(load2d, out_shape=y, interpret=True)(y))

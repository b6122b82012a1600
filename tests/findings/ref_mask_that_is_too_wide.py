# Masks that let lanes through which lie outside of the array, and one that does not.
# jax: runs
import functools
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def too_wide(x_ref, o_ref, *, n):
    positions = pl.program_id(0) * 64 + jnp.arange(64)
    mask = positions <= n
    x = plgpu.load(x_ref.at[positions], mask=mask, other=0.0)
#       ^ PL202 error "this read leaves x_ref along dimension 0, which has 100"
    plgpu.store(o_ref.at[positions], x + 1, mask=mask)
#   ^ PL202 error "this write leaves o_ref along dimension 0, which has 100"


def fits(x_ref, o_ref, *, n):
    positions = pl.program_id(0) * 64 + jnp.arange(64)
    mask = positions < n
    plgpu.store(o_ref.at[positions], plgpu.load(x_ref.at[positions], mask=mask, other=0.0) + 1, mask=mask)


def rows(x_ref, o_ref):
    row = pl.program_id(0) * 8 + jnp.arange(8)
    mask = (row < 10)[:, None] & (jnp.arange(128) < 100)[None, :]
    at = (row[:, None], jnp.arange(128)[None, :])
    plgpu.store(o_ref.at[at], plgpu.load(x_ref.at[at], mask=mask, other=0.0), mask=mask)


x = jnp.ones(100)
for kernel in (too_wide, fits):
    kernel = functools.partial(kernel, n=100)
    pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(2,), interpret=True)(x)
y = jnp.ones((10, 100))
pl.pallas_call(rows, out_shape=jax.ShapeDtypeStruct(y.shape, y.dtype), grid=(2,), interpret=True)(y)

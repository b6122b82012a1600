# A load with a mask and without `other` holds anything where the mask is false: a sum or a maximum must not see it.
# jax: runs
import functools
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def softmax_kernel(x_ref, o_ref, *, n):
    row, columns = pl.program_id(0), jnp.arange(512)
    x = plgpu.load(x_ref.at[row, columns], mask=columns < n)
#       ^ PL204 error "lanes of x_ref that the mask of this load leaves out reach o_ref"
    e = jnp.exp(x - x.max())
    plgpu.store(o_ref.at[row, columns], e / e.sum(), mask=columns < n)


def softmax_of_chosen(x_ref, o_ref, *, n):
    row, columns = pl.program_id(0), jnp.arange(512)
    inside = columns < n
    x = jnp.where(inside, plgpu.load(x_ref.at[row, columns], mask=inside), -jnp.inf)
    e = jnp.exp(x - x.max())
    plgpu.store(o_ref.at[row, columns], e / e.sum(), mask=inside)


def softmax_with_other(x_ref, o_ref, *, n):
    row, columns = pl.program_id(0), jnp.arange(512)
    x = plgpu.load(x_ref.at[row, columns], mask=columns < n, other=-jnp.inf)
    e = jnp.exp(x - x.max())
    plgpu.store(o_ref.at[row, columns], e / e.sum(), mask=columns < n)


def copied(x_ref, o_ref, *, n):
    row, columns = pl.program_id(0), jnp.arange(512)
    x = plgpu.load(x_ref.at[row, columns], mask=columns < n)
    plgpu.store(o_ref.at[row, columns], x * 2, mask=columns < n)


def masked_by_data(x_ref, o_ref, *, n):
    row, columns = pl.program_id(0), jnp.arange(512)
    mask = x_ref[row, 0] > columns
    o_ref[row, :] = jnp.broadcast_to(plgpu.load(x_ref.at[row, columns], mask=mask).sum(), (n,))


x = jnp.ones((4, 500))
for kernel in (softmax_kernel, softmax_of_chosen, softmax_with_other, copied, masked_by_data):
    pl.pallas_call(
        functools.partial(kernel, n=500), grid=(4,), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True
    )(x)

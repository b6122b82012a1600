# Shapes, numbers of programs and flags are known while tracing.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref, *, transpose=False):
    if transpose or x_ref.shape[0] > 100:
        o_ref[...] = x_ref[...].T
    else:
        o_ref[...] = x_ref[...]
    if pl.num_programs(0) == 4 and x_ref.dtype == jnp.float32:
        o_ref[...] += 1.0
    for row in range(x_ref.shape[0]):
        o_ref[row, 0] = float(row)
#       ^ PL129 warning "program (0,) reads inputs"


x = jnp.ones((8, 128))
print(pl.pallas_call(kernel, grid=(4,), out_shape=x, interpret=True)(x).sum())

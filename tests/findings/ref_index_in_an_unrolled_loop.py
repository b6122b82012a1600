# A Python loop that runs one too far.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def running_sum(x_ref, o_ref):
    total = x_ref[0]
    for k in range(1, 9):
        total += x_ref[k]
#                ^ PL201 error "element 8 of x_ref, which has 8"
    o_ref[0] = total


x = jnp.arange(8.0)
print(pl.pallas_call(running_sum, out_shape=jax.ShapeDtypeStruct((1,), jnp.float32), interpret=True)(x))

# Arrays do not change, and a function's names are its own: what is made here is gone.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    total = jnp.zeros((8, 128))
    kept = total

    @pl.when(pl.program_id(0) == 0)
    def _():
        total = x_ref[...]
#       ^ PL315 warning "that of `kernel` keeps the value that it has"

    kept.at[0].set(x_ref[0])
#   ^ PL315 warning "assign it: `kept = kept.at[...].set(...)`"
    o_ref[...] = total + kept


x = jnp.ones((8, 128))
pl.pallas_call(kernel, grid=(1,), out_shape=x, interpret=True)(x)
x.at[0, 0].add(1.0)
#^ PL315 warning "nothing keeps it: `x` stays as it is"

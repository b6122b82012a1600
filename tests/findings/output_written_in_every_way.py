# Views, conditions, loops and augmented assignments write.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jax import lax


def kernel(x_ref, a_ref, b_ref, c_ref, d_ref):
    a_ref.at[pl.ds(0, 8)][...] = x_ref[...]

    @pl.when(pl.program_id(0) >= 0)
    def _():
        b_ref[...] = x_ref[...]

    def body(k, _):
        c_ref[k, :] = x_ref[k, :]
        return _

    lax.fori_loop(0, 8, body, None)
    d_ref[...] = jnp.zeros_like(d_ref)
    d_ref[...] += x_ref[...]


x = jnp.ones((8, 128))
print([o.sum() for o in pl.pallas_call(kernel, grid=(1,), out_shape=[x] * 4, interpret=True)(x)])

# An integer start for a float sum, alone and among others.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax import lax


def kernel(x_ref, o_ref):
    def body(k, acc):
        return acc + x_ref[k, :]

    o_ref[...] = lax.fori_loop(0, 8, body, jnp.int32(0))
#                ^ PL310 error "the loop's carry"


x = jnp.ones((8, 128))
pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((128,), jnp.float32), interpret=True)(x)


def among_others(x_ref, o_ref):
    def body(k, state):
        total, counts = state
        return total + x_ref[k, :], {"rows": counts["rows"] + 1, "sum": counts["sum"] + x_ref[k, 0]}

    start = (jnp.zeros(128), {"rows": jnp.int32(0), "sum": jnp.int32(0)})
    total, _ = lax.fori_loop(0, 8, body, start)
#              ^ PL310 error "the loop's carry[1]['sum'] begins as i32[] and comes back as f32[]"
    o_ref[...] = total


pl.pallas_call(among_others, out_shape=jax.ShapeDtypeStruct((128,), jnp.float32), interpret=True)(x)

# Of arrays that may be of any dtype of floats nobody says that they are halves: what a loop carries begins with one, and sums in float32 are
# added to it. Where somebody says it, the carry is a mistake.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jaxtyping import Array, BFloat16, Float


def sums(x_ref, first_ref, o_ref):
    def step(at, total):
        return total + jnp.sum(x_ref[pl.ds(at * 128, 128), :].astype(jnp.float32), axis=0)

    o_ref[...] = jax.lax.fori_loop(0, x_ref.shape[0] // 128, step, first_ref[...])


def of_floats(x: Float[Array, "rows columns"], first: Float[Array, "columns"]):
    rows, columns = x.shape
    return pl.pallas_call(sums, out_shape=jax.ShapeDtypeStruct((columns,), jnp.float32))(x, first)


def sums_of_halves(x_ref, first_ref, o_ref):
    def step(at, total):
        return total + jnp.sum(x_ref[pl.ds(at * 128, 128), :].astype(jnp.float32), axis=0)

    o_ref[...] = jax.lax.fori_loop(0, x_ref.shape[0] // 128, step, first_ref[...])
#                ^ PL310 error "the loop's carry begins as bf16"


def of_halves(x: BFloat16[Array, "rows columns"], first: BFloat16[Array, "columns"]):
    rows, columns = x.shape
    return pl.pallas_call(sums_of_halves, out_shape=jax.ShapeDtypeStruct((columns,), jnp.float32))(x, first)

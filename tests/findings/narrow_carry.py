# A loop that carries a sum along in 16 bits, which are rounded after each term.
# jax: runs
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl

x = jnp.ones((64, 128), jnp.bfloat16)


def row_by_row(x_ref, o_ref):
    def body(r, total):
        return total + x_ref[r, :]
#              ^ PL205 warning "this sum of 64 terms is rounded to bfloat16 after each of them"

    o_ref[...] = lax.fori_loop(0, 64, body, jnp.zeros((128,), jnp.bfloat16))


def by_scan(x_ref, o_ref):
    def body(total, r):
        return x_ref[r, :] + total, None
#              ^ PL205 warning "rounded to float16"

    total, _ = lax.scan(body, jnp.zeros((128,), jnp.float16), jnp.arange(64))
    o_ref[...] = total


def wide(x_ref, o_ref):
    def body(r, total):
        return total + x_ref[r, :].astype(jnp.float32)

    o_ref[...] = lax.fori_loop(0, 64, body, jnp.zeros((128,))).astype(o_ref.dtype)


def few(x_ref, o_ref):
    o_ref[...] = lax.fori_loop(0, 8, lambda r, total: total + x_ref[r, :], jnp.zeros((128,), jnp.bfloat16))


def largest(x_ref, o_ref):
    o_ref[...] = lax.fori_loop(0, 64, lambda r, most: jnp.maximum(most, x_ref[r, :]), x_ref[0, :])


row = jax.ShapeDtypeStruct((128,), jnp.bfloat16)
for kernel in (row_by_row, wide, few, largest):
    pl.pallas_call(kernel, out_shape=row, interpret=True)(x)
half = jax.ShapeDtypeStruct((128,), jnp.float16)
pl.pallas_call(by_scan, out_shape=half, interpret=True)(x.astype(jnp.float16))


# Nobody calls this.
def column_sums(x: jax.Array):
    def kernel(x_ref, o_ref):
        def body(r, total):
            return total + x_ref[r, :].astype(jnp.bfloat16)
#                  ^ PL205 warning "rounded to bfloat16"

        o_ref[...] = lax.fori_loop(0, 64, body, jnp.zeros((128,), jnp.bfloat16))

    spec = pl.BlockSpec((64, 128), lambda i: (0, i))
    out = jax.ShapeDtypeStruct((x.shape[1],), jnp.bfloat16)
    return pl.pallas_call(
        kernel, grid=(x.shape[1] // 128,), in_specs=[spec], out_specs=pl.BlockSpec((128,), lambda i: (i,)), out_shape=out
    )(x)

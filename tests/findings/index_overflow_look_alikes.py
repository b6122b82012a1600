# Index arithmetic that fits, and arithmetic that is meant to wrap around.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def in_bytes(x_ref, o_ref):
    columns = jax.lax.broadcasted_iota(jnp.int8, (128,), 0)
    o_ref[...] = jnp.where(columns < 100, x_ref[...], 0.0)


def guarded(x_ref, o_ref):
    i = pl.program_id(0)
    o_ref[...] = jnp.zeros_like(o_ref)

    @pl.when(i < 2)
    def _():
        o_ref[...] = x_ref[pl.ds(i * 1500000000 // 1500000000 * 8, 8)]


def hashed(x_ref, o_ref):
    i = pl.program_id(0) * 65536 + jax.lax.iota(jnp.int32, 8)
    bits = (i * 1103515245 + 12345) & 0x7FFFFFFF
    o_ref[...] = jnp.where(bits % 100 < 10, 0.0, x_ref[...])


def unsigned(x_ref, o_ref):
    i = pl.program_id(0).astype(jnp.uint32) + jax.lax.iota(jnp.uint32, 8)
    o_ref[...] = jnp.where(i * jnp.uint32(2654435761) < jnp.uint32(400000000), 0.0, x_ref[...])


def summed(x_ref, o_ref):
    # A number of elements that nothing is chosen with.
    o_ref[...] = x_ref[...] + (pl.program_id(0) * 65536 * 65536).astype(jnp.float32)


def launch(kernel, length, **more):
    x = jax.ShapeDtypeStruct((length,), jnp.float32)
    jax.eval_shape(pl.pallas_call(kernel, out_shape=x, **more), x)


launch(in_bytes, 128)
blocks = dict(grid=(4,), in_specs=[pl.BlockSpec((8,), lambda i: (i,))], out_specs=pl.BlockSpec((8,), lambda i: (i,)))
launch(hashed, 32, **blocks)
launch(unsigned, 32, **blocks)
launch(summed, 32, **blocks)
whole = dict(grid=(4,), out_specs=pl.BlockSpec((8,), lambda i: (i,)))
launch(guarded, 32, **whole)

# Partial blocks whose padding does no harm: it lands past the end of the output, or a mask takes it away.
# jax: runs
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl


def elementwise(x_ref, o_ref):
    o_ref[...] = jnp.exp(x_ref[...]) * 2 + pl.program_id(0)


def masked(x_ref, o_ref):
    rows = pl.program_id(0) * 32 + lax.broadcasted_iota(jnp.int32, x_ref.shape, 0)
    o_ref[pl.program_id(0), :] = jnp.where(rows < 100, x_ref[...], -jnp.inf).max(axis=0)


def masked_twice(x_ref, o_ref):
    x = x_ref[...]
    rows = pl.program_id(0) * 32 + lax.broadcasted_iota(jnp.int32, x.shape, 0)
    o_ref[pl.program_id(0), :] = jnp.where((rows < 100) & (x > 0), x, 0).sum(axis=0)


def along_rows(x_ref, o_ref):
    o_ref[...] = x_ref[...] - x_ref[...].max(axis=1, keepdims=True)


def cut_off(x_ref, o_ref):
    valid = jnp.minimum(100 - pl.program_id(0) * 32, 32)

    def body(i, total):
        return total + x_ref[i, :]

    o_ref[pl.program_id(0), :] = lax.fori_loop(0, valid, body, jnp.zeros((128,)))


def by_the_data(x_ref, o_ref):
    # The mask is data: it may be right.
    x = x_ref[...]
    o_ref[pl.program_id(0), :] = jnp.where(x != x, 0, x).sum(axis=0)


def launch(kernel, out_spec):
    return pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec((32, 128), lambda i: (i, 0))],
        out_specs=out_spec,
        out_shape=jax.ShapeDtypeStruct((100, 128) if out_spec.block_shape[0] == 32 else (4, 128), jnp.float32),
        interpret=True,
    )(jnp.ones((100, 128)))


for kernel in elementwise, along_rows:
    launch(kernel, pl.BlockSpec((32, 128), lambda i: (i, 0)))
for kernel in masked, masked_twice, cut_off:
    launch(kernel, pl.BlockSpec((4, 128), lambda i: (0, 0)))

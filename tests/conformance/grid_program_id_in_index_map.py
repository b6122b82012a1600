"""pl.program_id in index maps, which interpret mode takes for the map's own parameter."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 10 + pl.program_id(1)


def call(x, read, written):
    return pl.pallas_call(
        kernel,
        out_shape=x,
        grid=(3, 2),
        in_specs=[pl.BlockSpec((2, 3), read)],
        out_specs=pl.BlockSpec((2, 3), written),
        interpret=True,
    )(x)


x = jnp.arange(36).reshape(6, 6)
print(call(x, lambda i, j: (pl.program_id(0), 1 - j), lambda i, j: (i, pl.program_id(axis=1))))
print(jax.vmap(lambda x: call(x, lambda i, j: (pl.program_id(0), 1 - j), lambda i, j: (i, j)))(jnp.stack([x, -x]))[1])
try:
    call(x, lambda i, j: (pl.program_id(2), j), lambda i, j: (i, j))
except Exception as error:
    print(type(error).__name__)

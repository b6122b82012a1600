# Each program reads its own slice.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, o_ref):
    i = pl.program_id(0)
    o_ref[...] = x_ref[pl.ds(i * 128, 128)] * 2.0


x = jnp.arange(384.0)
print(pl.pallas_call(kernel, grid=(3,), interpret=True,
                     in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
                     out_specs=pl.BlockSpec((128,), lambda i: (i,)),
                     out_shape=jax.ShapeDtypeStruct((384,), jnp.float32))(x).sum())

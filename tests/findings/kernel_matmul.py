# A blocked matrix product with an accumulator in scratch.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from jax.experimental.pallas import tpu as pltpu


def matmul(x_ref, y_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = acc_ref[...].astype(o_ref.dtype)


m, n, k = 128, 256, 192
bm, bn, bk = 32, 64, 64
x = jnp.ones((m, k), jnp.bfloat16)
y = jnp.ones((k, n), jnp.bfloat16)
print(pl.pallas_call(matmul, grid=(m // bm, n // bn, k // bk), interpret=True,
                     in_specs=[pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)),
                               pl.BlockSpec((bk, bn), lambda i, j, k: (k, j))],
                     out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
                     scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
                     out_shape=jax.ShapeDtypeStruct((m, n), jnp.bfloat16))(x, y).sum())

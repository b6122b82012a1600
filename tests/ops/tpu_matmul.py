"""Blocked matrix products with an accumulator in scratch memory."""

import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu.matmul import matmul
from values import show, waves

x, y = waves(32, 48), waves(48, 24, step=0.9)
with pltpu.force_tpu_interpret_mode():
    show("product", matmul(x, y, block_shape=(16, 8), block_k=16))
    show("one block", matmul(x, y, block_shape=(32, 24), block_k=48))
    show("bfloat", matmul(x.astype("bfloat16"), y.astype("bfloat16"), block_shape=(16, 8), block_k=16))
    show("widened", matmul(x.astype("bfloat16"), y.astype("bfloat16"), block_shape=(16, 8), block_k=16,
                           out_dtype=jnp.float32))
    small = jnp.round(x * 10).astype(jnp.int8), jnp.round(y * 10).astype(jnp.int8)
    show("integers", matmul(*small, block_shape=(16, 8), block_k=16, out_dtype=jnp.int32))
    try:
        matmul(x, y.astype("bfloat16"), block_shape=(16, 8), block_k=16)
    except TypeError as error:
        print(error)

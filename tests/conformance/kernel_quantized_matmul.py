"""Products of int8 and of both float8 with a scale for each row and each column."""
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_ref, w_ref, sx_ref, sw_ref, o_ref, acc_ref):
    @pl.when(pl.program_id(2) == 0)
    def _():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], w_ref[...], preferred_element_type=acc_ref.dtype)

    @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
    def _():
        o_ref[...] = (acc_ref[...].astype(jnp.float32) * sx_ref[...] * sw_ref[...]).astype(o_ref.dtype)


def quantize(x, axis, dtype):
    top = jnp.iinfo(dtype).max if dtype == jnp.int8 else jnp.finfo(dtype).max.astype(jnp.float32)
    scale = jnp.max(jnp.abs(x), axis=axis, keepdims=True) / top
    return (jnp.round(x / scale) if dtype == jnp.int8 else x / scale).astype(dtype), scale


a = jax.random.normal(jax.random.key(0), (64, 128))
b = jax.random.normal(jax.random.key(1), (128, 64))
for dtype in (jnp.int8, jnp.float8_e4m3fn, jnp.float8_e5m2):
    (x, sx), (w, sw) = quantize(a, 1, dtype), quantize(b, 0, dtype)
    out = pl.pallas_call(
        kernel,
        grid=(2, 2, 2),
        in_specs=[
            pl.BlockSpec((32, 64), lambda i, j, k: (i, k)), pl.BlockSpec((64, 32), lambda i, j, k: (k, j)),
            pl.BlockSpec((32, 1), lambda i, j, k: (i, 0)), pl.BlockSpec((1, 32), lambda i, j, k: (0, j)),
        ],
        out_specs=pl.BlockSpec((32, 32), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((64, 64), jnp.bfloat16),
        scratch_shapes=[pltpu.VMEM((32, 32), jnp.int32 if dtype == jnp.int8 else jnp.float32)],
        interpret=True,
    )(x, w, sx, sw)
    error = jnp.abs(out.astype(jnp.float32) - a @ b).max()
    print(x.dtype, out.dtype, x[0, :4], w[:4, 0], f"{float(error):.1f}")

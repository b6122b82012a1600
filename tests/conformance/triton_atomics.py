# Atomic updates of every dtype: what is there afterwards, and what was there before. JAX's interpret mode knows sums and extremes without masks only.
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def updated(update, x_ref, y_ref, o_ref, old_ref):
    o_ref[...] = x_ref[...]
    old_ref[...] = update(o_ref, (slice(None),), y_ref[...])


def show(update, name, dtype):
    x = (jnp.arange(32) % 7 * 3).astype(dtype)
    y = (jnp.arange(32) % 5 + 4).astype(dtype)
    shape = jax.ShapeDtypeStruct((32,), dtype)
    launch = pl.pallas_call(
        functools.partial(updated, update),
        out_shape=(shape, shape),
        compiler_params=plgpu.CompilerParams(),
        interpret=True,
    )
    new, old = launch(x, y)
    print(jnp.dtype(dtype).name, name, new[:8].astype(jnp.int32), old[:8].astype(jnp.int32))


for dtype in (jnp.float32, jnp.int32, jnp.uint32, jnp.uint16, jnp.uint8):
    show(plgpu.atomic_add, "add", dtype)
    show(plgpu.atomic_max, "max", dtype)
    show(plgpu.atomic_min, "min", dtype)
show(plgpu.atomic_add, "add", jnp.float16)


def counted(places_ref, _, bins_ref):
    plgpu.atomic_add(bins_ref, (places_ref[...],), jnp.ones_like(places_ref[...]))


places = (jnp.arange(64) * 5) % 64
bins = pl.pallas_call(
    counted,
    out_shape=jax.ShapeDtypeStruct((64,), jnp.int32),
    input_output_aliases={1: 0},
    compiler_params=plgpu.CompilerParams(),
    interpret=True,
)(places, jnp.zeros(64, jnp.int32))
print("counted", bins.min(), bins.max())

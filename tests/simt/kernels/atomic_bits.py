# Atomic updates that JAX's interpret mode does not have, and the workbench's has.
import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def updated(update, x_ref, y_ref, o_ref, old_ref):
    o_ref[...] = x_ref[...]
    old_ref[...] = update(o_ref, (slice(None),), y_ref[...])


for dtype in (jnp.int32, jnp.uint32, jnp.uint16, jnp.uint8):
    for update in (plgpu.atomic_and, plgpu.atomic_or, plgpu.atomic_xor, plgpu.atomic_xchg):
        shape = jax.ShapeDtypeStruct((32,), dtype)
        launch = pl.pallas_call(
            functools.partial(updated, update), out_shape=(shape, shape), compiler_params=plgpu.CompilerParams()
        )
        jax.eval_shape(launch, shape, shape)


def masked(x_ref, o_ref):
    o_ref[...] = x_ref[...]
    plgpu.atomic_add(o_ref, (slice(None),), 2.0 * x_ref[...], mask=x_ref[...] > 0.5)


shape = jax.ShapeDtypeStruct((32,), jnp.float32)
jax.eval_shape(pl.pallas_call(masked, out_shape=shape, compiler_params=plgpu.CompilerParams()), shape)

# A TPU stores scalars to scalar memory only, and has no types of 64 bits.
# jax: not run
# target: tpu-v5e
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

jax.config.update("jax_enable_x64", True)


def count(o_ref):
    i = pl.program_id(0)
    o_ref[i] = i
#   ^ PL504 error "stores no scalars to vector memory (VMEM)"


def total(x_ref, o_ref, scratch):
    scratch[0, 0] = jnp.sum(x_ref[...])
#   ^ PL504 error "let it lie in scalar memory"
    o_ref[...] = jnp.broadcast_to(scratch[...], o_ref.shape)


def wide(x_ref, o_ref):
    o_ref[...] = x_ref[...].astype(jnp.int64).astype(jnp.int32)
#                ^ PL504 error "the TPU compiler has no types of 64 bits, this converts to int64"


def total_in_scalar_memory(x_ref, o_ref, scratch):
    scratch[0] = jnp.sum(x_ref[...])
    o_ref[...] = jnp.full(o_ref.shape, scratch[0])


def one_element(x_ref, o_ref):
    o_ref[...] = jnp.sum(x_ref[...], keepdims=True)


def scalar_output(x_ref, o_ref):
    o_ref[0, 0] = jnp.sum(x_ref[...])


def narrow(x_ref, o_ref):
    o_ref[...] = x_ref[...].astype(jnp.int32)


x = jnp.ones((8, 128), jnp.float32)
one = jax.ShapeDtypeStruct((1, 1), jnp.float32)
whole = jax.ShapeDtypeStruct((8, 128), jnp.int32)
pl.pallas_call(count, grid=(8,), out_shape=jax.ShapeDtypeStruct((8,), jnp.int32))()
pl.pallas_call(total, out_shape=x, scratch_shapes=[pltpu.VMEM((1, 1), jnp.float32)])(x)
pl.pallas_call(wide, out_shape=whole)(x)
pl.pallas_call(total_in_scalar_memory, out_shape=x, scratch_shapes=[pltpu.SMEM((1,), jnp.float32)])(x)
pl.pallas_call(one_element, out_shape=one)(x)
pl.pallas_call(scalar_output, out_shape=one, out_specs=pl.BlockSpec(memory_space=pltpu.SMEM))(x)
pl.pallas_call(narrow, out_shape=whole)(x)

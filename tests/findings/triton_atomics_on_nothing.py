# Atomics add to an output that nobody has set: its memory holds anything. One that begins with an input's zeros is right.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def sums(x_ref, o_ref):
    plgpu.atomic_add(o_ref, (jnp.arange(8),), x_ref[...])
#   ^ PL203 error "program (0,): element (0,) of o_ref depends on it"


def masked_sums(x_ref, o_ref):
    lanes = jnp.arange(8)
    plgpu.atomic_add(o_ref, (lanes,), x_ref[...], mask=lanes < 5)
#   ^ PL203 error "element (0,) of o_ref depends on it"


def sums_on_zeros(x_ref, zeros_ref, o_ref):
    plgpu.atomic_add(o_ref, (jnp.arange(8),), x_ref[...])


x = jnp.ones((32,))
whole = pl.BlockSpec((8,), lambda i: (0,))
launch = dict(
    grid=(4,),
    out_specs=whole,
    out_shape=jax.ShapeDtypeStruct((8,), jnp.float32),
    compiler_params=plgpu.CompilerParams(num_warps=4),
    interpret=True,
)
blocks = pl.BlockSpec((8,), lambda i: (i,))
pl.pallas_call(sums, in_specs=[blocks], **launch)(x)
pl.pallas_call(masked_sums, in_specs=[blocks], **launch)(x)
pl.pallas_call(sums_on_zeros, in_specs=[blocks, whole], input_output_aliases={1: 0}, **launch)(x, jnp.zeros(8))

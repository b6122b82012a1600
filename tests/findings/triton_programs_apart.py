# Programs of a GPU that keep apart, or meet by atomics.
# jax: not run
# target: triton
import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu


def own_block(x_ref, o_ref):
    o_ref[...] = x_ref[...]
    o_ref[...] += 1.0


def own_part(x_ref, o_ref):
    part = pl.ds(pl.program_id(0) * 64, 64)
    o_ref[part] = x_ref[part]
    o_ref[part] += 1.0


def in_place(_, o_ref):
    part = pl.ds(pl.program_id(0) * 64, 64)
    o_ref[part] = o_ref[part] * 2.0


def by_atomics(x_ref, _, o_ref):
    plgpu.atomic_add(o_ref, (slice(None),), x_ref[...])


def by_loop(x_ref, o_ref):
    def body(i, total):
        return total + x_ref[pl.ds(i * 64, 64)]

    o_ref[...] = lax.fori_loop(0, 8, body, jnp.zeros((64,), jnp.float32))


x = jnp.ones((512,), jnp.float32)
own = pl.BlockSpec((64,), lambda i: (i,))
one = pl.BlockSpec((64,), lambda i: (0,))
zeros = jnp.zeros((64,), jnp.float32)
pl.pallas_call(own_block, grid=(8,), in_specs=[own], out_specs=own, out_shape=x)(x)
pl.pallas_call(own_part, grid=(8,), out_shape=x)(x)
pl.pallas_call(in_place, grid=(8,), out_shape=x, input_output_aliases={0: 0})(x)
pl.pallas_call(
    by_atomics, grid=(8,), in_specs=[own, one], out_specs=one, out_shape=zeros, input_output_aliases={1: 0}
)(x, zeros)
pl.pallas_call(by_loop, out_shape=zeros)(x)

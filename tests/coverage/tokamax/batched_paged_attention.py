"""Ragged paged attention over a schedule of blocks, computed by a kernel of its own: decoding and prefill."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.batched_rpa.kernel import wrapper

TOKENS, HEADS, KV_HEADS, DIM, PAGES, PAGE, SEQUENCES, PER_SEQUENCE = 256, 8, 2, 128, 128, 128, 4, 8


def array(*shape, dtype=jnp.bfloat16):
    return jax.ShapeDtypeStruct(shape, dtype)


def table(*shape):
    return array(*shape, dtype=jnp.int32)


kv = array(TOKENS, KV_HEADS, DIM)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(
        functools.partial(wrapper.ragged_paged_attention, sm_scale=DIM**-0.5),
        array(TOKENS, HEADS, DIM),
        kv,
        kv,
        array(*wrapper.get_kv_cache_shape(PAGES, PAGE, KV_HEADS, DIM, jnp.bfloat16)),
        table(SEQUENCES),
        table(SEQUENCES * PER_SEQUENCE),
        table(SEQUENCES + 1),
        table(3),
    )

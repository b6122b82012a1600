# How much memory a kernel needs follows from lengths that are made up here: nobody knows whether it is too much.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def gather(q_ref, pages_ref, o_ref, keys, values, sem):
    pltpu.async_copy(pages_ref.at[0], keys.at[0, 0], sem).wait()
    values[...] = keys[...]
    o_ref[...] = q_ref[...] + values[0, 0, 0]


def paged(q: jax.Array, k_pages: jax.Array, page_indices: jax.Array, *, pages_per_compute_block: int):
    """q: [batch, heads, head_dim], k_pages: [kv_heads, total_num_pages, page_size, head_dim], page_indices: [batch, pages_per_sequence]"""
    _, pages_per_sequence = page_indices.shape
    _, _, page_size, head_dim = k_pages.shape
    if pages_per_sequence % pages_per_compute_block:
        raise ValueError("pages_per_compute_block must divide pages per sequence")
    buffer = pltpu.VMEM((2, pages_per_compute_block, page_size, head_dim), k_pages.dtype)
    return pl.pallas_call(
        gather,
        out_shape=q,
        in_specs=[pl.BlockSpec(memory_space=pltpu.VMEM), pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[buffer, buffer, pltpu.SemaphoreType.DMA],
        compiler_params=pltpu.CompilerParams(has_side_effects=False),
    )(q, k_pages[0])


def fixed(q: jax.Array):
    """q: [rows, 128]. Here no length has to do with it."""
    buffer = pltpu.VMEM((2, 256, 1024, 128), jnp.float32)
    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    return pl.pallas_call(
#          ^ PL502 warning "this launch needs 256"
        scaled,
        out_shape=q,
        grid=(q.shape[0] // 8,),
        in_specs=[block],
        out_specs=block,
        scratch_shapes=[buffer],
        compiler_params=pltpu.CompilerParams(has_side_effects=False),
    )(q)


def scaled(q_ref, o_ref, buffer):
    buffer[0, 0, 0] = q_ref[0]
    o_ref[...] = q_ref[...] * buffer[0, 0, 0]

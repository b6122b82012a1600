"""Physical pages of the tokens that sparse attention selected: a table read by index inside of the kernel."""

import functools

import jax
import jax.numpy as jnp

from tokamax._src.ops.sparse_mla import pallas_mosaic_tpu_kernel as sparse_mla

pages = jax.ShapeDtypeStruct((4 * 200,), jnp.int32)
ids = jax.ShapeDtypeStruct((30, 64), jnp.int32)
sequences = jax.ShapeDtypeStruct((30,), jnp.int32)
jax.eval_shape(functools.partial(sparse_mla.gather_page_ids, max_num_seqs=4), pages, ids, sequences)

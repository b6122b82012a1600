"""DeepSeek's compressor, its first kernel: states projected from tokens and written to the slots of a paged cache."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.proj_and_save_state import pallas_mosaic_tpu_kernel as project

TOKENS, HIDDEN = 512, 4096


def array(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def run(width, ratio, cache):
    """One geometry: the width of a state, the tokens compressed into one, and the cache."""
    jax.eval_shape(
        functools.partial(project.proj_and_save_state, compress_ratio=ratio, tile_k=2048, tile_n=256),
        array(TOKENS, HIDDEN),
        array(HIDDEN, 2 * width),
        array(ratio, width),
        array(TOKENS, dtype=jnp.int32),
        array(TOKENS, dtype=jnp.int32),
        cache,
    )


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    run(512, 128, array(18, 256, 4, 128, dtype=jnp.uint8))
    run(1024, 4, array(33, 256, 128, dtype=jnp.int32))
    run(256, 4, array(33, 32, 4, 256, dtype=jnp.uint8))

"""Rows that the sparse cores of a TPU gather, and sum, in maxtext."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh
from maxtext.kernels import gather_reduce_pallas
from maxtext.kernels.ragged import ragged_gather, ragged_gather_reduce, ragged_gather_reduce_v2

Array = jax.ShapeDtypeStruct

x, places = Array((4096, 2048), jnp.bfloat16), Array((8192,), jnp.int32)
weights, valid = Array((8192,), jnp.float32), Array((8192,), jnp.bool_)
bound = Array((1,), jnp.int32)
rows = Array((8192, 2048), jnp.bfloat16)
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU v6e", 1, "tpu"))


def trace(function, *arguments, **options):
    with jax.sharding.use_abstract_mesh(mesh):
        return jax.eval_shape(functools.partial(function, **options), *arguments)


trace(ragged_gather.ragged_gather, x, places, bound, bound)
trace(ragged_gather.ragged_gather, x, places, bound, bound, weights, has_weights=True)
trace(ragged_gather_reduce.ragged_gather_reduce, rows, places, weights, valid, reduce_group_size=8)
trace(ragged_gather_reduce_v2.ragged_gather_reduce, rows, places, weights, valid, reduce_group_size=8)
trace(gather_reduce_pallas.sc_gather_reduce, x, Array((32768,), jnp.int32), reduce_group_size=4, col_chunk_size=1024)

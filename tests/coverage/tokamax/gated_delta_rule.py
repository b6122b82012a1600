"""A causal convolution and the gated delta rule in one kernel: decoding and prefill with states kept between calls."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src.ops.causal_conv1d_gated_delta_rule import wrapper

TOKENS, REQUESTS, KEYS, VALUES, DIM, TAPS = 520, 11, 2, 8, 128, 4
WIDTH = (2 * KEYS + VALUES) * DIM


def array(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


def table(*shape):
    return array(*shape, dtype=jnp.int32)


mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    jax.eval_shape(
        functools.partial(
            wrapper.fused_conv1d_gdn, n_kq=KEYS, n_v=VALUES, d_k=DIM, d_v=DIM, kernel_size=TAPS
        ),
        array(TOKENS, WIDTH),
        array(TOKENS, VALUES),
        array(TOKENS, VALUES),
        array(REQUESTS + 1, TAPS - 1, WIDTH),
        array(REQUESTS + 1, VALUES, DIM, DIM),
        array(WIDTH, 1, TAPS),
        array(WIDTH),
        array(VALUES),
        array(VALUES),
        table(REQUESTS + 1),
        table(REQUESTS),
        table(3),
        table(REQUESTS),
    )

# What a file has inputs for is called before what it calls: helpers get what they get there, and nothing that is made up.
# jax: not run
# target: tpu-v6e
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_ref, bias_ref, o_ref, *, scale):
    o_ref[...] = x_ref[...] * scale + bias_ref[...]


def scaled(x, bias, scale):
    m, n = x.shape
    return pl.pallas_call(
        lambda *refs: kernel(*refs, scale=scale),
        grid=(m // 128,),
        in_specs=[pl.BlockSpec((128, n), lambda i: (i, 0)), pl.BlockSpec((1, n), lambda i: (0, 0))],
        out_specs=pl.BlockSpec((128, n), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        compiler_params=pltpu.CompilerParams(),
    )(x, bias)


class Model:
    def __init__(self, columns, scale):
        self.bias, self.scale = jnp.zeros(columns), scale

    def forward(self, x):
        return scaled(x, self.bias.reshape(1, -1), self.scale)


def get_inputs():
    return [jax.random.uniform(jax.random.key(0), (256, 512))]


def get_init_inputs():
    return [512, 2.0]

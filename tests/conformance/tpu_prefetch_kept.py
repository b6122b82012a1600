"""Prefetched scalars that a kernel writes: kept from program to program on a device, forgotten by `interpret=True`."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(turn_ref, x_ref, o_ref):
    o_ref[...] = x_ref[...] + turn_ref[0]
    turn_ref[0] = turn_ref[0] + 10


for interpret in (True, pltpu.InterpretParams()):
    out = pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(3,),
            in_specs=[pl.BlockSpec((8, 128), lambda i, turn: (i, 0))],
            out_specs=pl.BlockSpec((8, 128), lambda i, turn: (i, 0)),
        ),
        out_shape=jax.ShapeDtypeStruct((24, 128), jnp.int32),
        interpret=interpret,
    )(jnp.array([1], jnp.int32), jnp.zeros((24, 128), jnp.int32))
    print(out[::8, 0])

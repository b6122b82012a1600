"""A kernel under shard_map asks for its device's number."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.sharding import Mesh, PartitionSpec as P

line = Mesh(np.array(jax.devices()[:4]), ("x",))
square = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 100 * lax.axis_index("x")


def launched(x):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(2,),
                          in_specs=[pl.BlockSpec((1, 4), lambda i: (i, 0))],
                          out_specs=pl.BlockSpec((1, 4), lambda i: (i, 0)), interpret=True)(x)


x = jnp.arange(32, dtype=jnp.int32).reshape(8, 4)
print(jax.jit(jax.shard_map(launched, mesh=line, in_specs=P("x"), out_specs=P("x"), check_vma=False))(x))
# Every device gets the same array, and gives another one.
print(jax.shard_map(launched, mesh=line, in_specs=P(), out_specs=P("x"), check_vma=False)(x[:2]))


def both(x_ref, o_ref):
    @pl.when(lax.axis_index("y") == 1)
    def _():
        o_ref[...] = x_ref[...] + lax.axis_index(("x", "y")) * 1000

    @pl.when(lax.axis_index("y") == 0)
    def _():
        o_ref[...] = x_ref[...] * 0 + lax.axis_index("x") * 10 + lax.axis_size("y")


def launched_both(x):
    return pl.pallas_call(both, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(2,),
                          in_specs=[pl.BlockSpec((1, 2), lambda i: (i, 0))],
                          out_specs=pl.BlockSpec((1, 2), lambda i: (i, 0)), interpret=True)(x)


mapped = functools.partial(jax.shard_map, mesh=square, check_vma=False)
print(mapped(launched_both, in_specs=P("x", "y"), out_specs=P("x", "y"))(x))
print(mapped(launched_both, in_specs=P("x"), out_specs=P("x", "y"))(x[:, :2]))
try:
    # The lanes of vmap have no number in kernels.
    jax.vmap(launched, axis_name="x")(jnp.zeros((3, 2, 4), jnp.int32))
except NameError as error:
    print(error)

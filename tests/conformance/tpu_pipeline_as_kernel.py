"""A pipeline that is itself the kernel of a launch: it gets the launch's Refs."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import AbstractDevice, AbstractMesh


def body(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] * y_ref[...] + 1


whole = pl.BlockSpec(memory_space=pltpu.HBM)
rows = pl.BlockSpec((16, 128), lambda i: (i, 0))
kernel = pltpu.emit_pipeline(
    body, grid=(4,), in_specs=[rows, pl.BlockSpec((1, 128), lambda i: (0, 0))], out_specs=[rows],
    dimension_semantics=(pltpu.ARBITRARY,),
)
x = jnp.arange(64 * 128, dtype=jnp.float32).reshape(64, 128) % 7
y = jnp.arange(128, dtype=jnp.float32)[None] % 5
mesh = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))
with jax.sharding.use_abstract_mesh(mesh):
    out = pl.pallas_call(
        kernel,
        out_shape=[jax.ShapeDtypeStruct(x.shape, x.dtype)],
        in_specs=[whole, whole],
        out_specs=[whole],
        interpret=True,
    )(x, y)[0]
print(out.shape, out[3, :8], float(out.sum()), bool((out == x * y + 1).all()))

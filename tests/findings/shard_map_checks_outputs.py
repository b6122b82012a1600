# Within `jax.shard_map`, which checks along which axes values vary, an output has to say it.
# jax: ValueError
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.sharding import PartitionSpec as P


def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def shard(x):
    out = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(double, out_shape=out, interpret=True)(x)
#                                           ^ PL102 error "pass `check_vma=False` to `jax.shard_map`"


mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("x",))
jax.shard_map(shard, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(jnp.ones((8, 128)))

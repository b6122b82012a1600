# Operands that stay in main memory have no blocks: not under shard_map or vmap either.
# jax: not run
# target: tpu-v5e
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh, PartitionSpec as P


def kernel(x_ref, o_ref, sem):
    pltpu.async_copy(x_ref, o_ref, sem).wait()


def copied(x):
    return pl.pallas_call(
        kernel,
        out_shape=x,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=0,
            in_specs=[pl.BlockSpec(memory_space=pltpu.HBM)],
            out_specs=pl.BlockSpec(memory_space=pl.ANY),
            scratch_shapes=[pltpu.SemaphoreType.DMA],
        ),
    )(x)


x = jnp.ones((16, 128))
mesh = Mesh(np.array(jax.devices()[:2]), ("x",))
jax.shard_map(copied, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)(x)
jax.vmap(copied)(x.reshape(2, 8, 128))

# A copy to the right neighbour, which may not have begun the kernel: the barrier that the compiler puts in front is left out.
# jax: runs
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import PartitionSpec as P

mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))


def kernel(x_ref, o_ref, send, recv):
    right = jax.lax.rem(jax.lax.axis_index("x") + 1, 4)
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, send, recv, device_id=(right,))
    copy.start()
#   ^ PL421 warning "`skip_device_barrier` leaves out the barrier"
    copy.wait()


def shift(x):
    return pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        scratch_shapes=[pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA],
        compiler_params=pltpu.CompilerParams(skip_device_barrier=True),
        interpret=pltpu.InterpretParams(),
    )(x)


x = jnp.arange(32.0).reshape(32)
y = jax.shard_map(shift, mesh=mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)(x)
print(y)

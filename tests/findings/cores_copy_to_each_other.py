# Cores of one device swap halves through `device_id={"core": ...}`, which JAX's simulator has no rule for.
# jax: NotImplementedError
# found by a run
import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)
DMA = pltpu.SemaphoreType.DMA


@functools.partial(
    pl.kernel,
    out_type=jax.ShapeDtypeStruct((8, 256), jnp.float32),
    mesh=mesh,
    scratch_types=[pltpu.VMEM((8, 128), jnp.float32)] * 2 + [DMA] * 3 + [pltpu.SemaphoreType.REGULAR],
    interpret=pltpu.InterpretParams(),
)
def swap(x_hbm, o_hbm, mine, theirs, copied, sent, arrived, ready):
    core = lax.axis_index("core")
    other = 1 - core
    half = pl.ds(core * 128, 128)
    pltpu.async_copy(x_hbm.at[:, half], mine, copied).wait()
    pl.semaphore_signal(ready, 1, device_id={"core": other})
    pl.semaphore_wait(ready, 1)
    copy = pltpu.make_async_remote_copy(mine, theirs, sent, arrived, device_id={"core": other})
    copy.start()
    copy.wait()
    mine[...] = theirs[...] * 2
    pltpu.async_copy(mine, o_hbm.at[:, half], copied).wait()


x = jnp.arange(8 * 256, dtype=jnp.float32).reshape(8, 256)
y = swap(x)
assert (y[:, :128] == x[:, 128:] * 2).all(), y[:, 0]
assert (y[:, 128:] == x[:, :128] * 2).all(), y[:, 128]

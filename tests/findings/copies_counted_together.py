# Two copies under way on one semaphore: behind the first wait either of them has come.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

x = jnp.arange(256.0)


def launch(kernel, semaphores):
    return pl.pallas_call(
        kernel,
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_shape=jax.ShapeDtypeStruct((128,), x.dtype),
        scratch_shapes=[pltpu.VMEM((128,), x.dtype), pltpu.VMEM((128,), x.dtype), semaphores],
        interpret=pltpu.InterpretParams(),
    )(x)


def one_semaphore(x_hbm, o_ref, first, second, sem):
    one = pltpu.make_async_copy(x_hbm.at[pl.ds(0, 128)], first, sem)
    other = pltpu.make_async_copy(x_hbm.at[pl.ds(128, 128)], second, sem)
    one.start()
    other.start()
    one.wait()
    o_ref[...] = first[...] * 2
#                ^ PL410 error "sem counts several copies that may be under way at the same time"
    other.wait()
    o_ref[...] += second[...]


def one_each(x_hbm, o_ref, first, second, sem):
    one = pltpu.make_async_copy(x_hbm.at[pl.ds(0, 128)], first, sem.at[0])
    other = pltpu.make_async_copy(x_hbm.at[pl.ds(128, 128)], second, sem.at[1])
    one.start()
    other.start()
    one.wait()
    o_ref[...] = first[...] * 2
    other.wait()
    o_ref[...] += second[...]


launch(one_semaphore, pltpu.SemaphoreType.DMA)
launch(one_each, pltpu.SemaphoreType.DMA((2,)))

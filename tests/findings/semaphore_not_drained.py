# Signalled three times, waited for twice.
# jax: runs
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...]

    def body(sem):
        pl.semaphore_signal(sem, 3)
#       ^ PL403 error "sem is 1 when its life ends"
        pl.semaphore_wait(sem, 2)

    pl.run_scoped(body, sem=pltpu.SemaphoreType.REGULAR)


pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), interpret=True)(
    jnp.zeros((8, 128), jnp.float32)
)

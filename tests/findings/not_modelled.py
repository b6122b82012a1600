# Copies of a computed extent with a stride are not modelled: this is said, and is no error of the program.
# jax: TypeError
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def copy_rows(n_ref, x_ref, o_ref, sem):
    n = n_ref[0]
    part = pl.ds(0, n, 2)
#          ^ PL005 warning "with a traced size and a stride is not provided by the workbench yet"
    pltpu.make_async_copy(x_ref.at[part], o_ref.at[part], sem).start()


anywhere = pl.BlockSpec(memory_space=pl.ANY)
grid_spec = pltpu.PrefetchScalarGridSpec(
    num_scalar_prefetch=1, grid=(1,), in_specs=[anywhere], out_specs=anywhere, scratch_shapes=[pltpu.SemaphoreType.DMA]
)
x = jnp.ones((32, 128))
y = pl.pallas_call(copy_rows, out_shape=x, grid_spec=grid_spec, interpret=True)(jnp.array([3]), x)

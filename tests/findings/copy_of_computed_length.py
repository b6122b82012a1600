# A copy may take as many rows as the kernel computes; beyond the end there are none.
# jax: not run
import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(lengths, x_hbm, o_hbm, buffer, sem):
    i = pl.program_id(0)
    known = jnp.minimum(lengths[i], 8)
    pltpu.sync_copy(x_hbm.at[pl.ds(0, known)], buffer.at[pl.ds(0, known)])
    n = 8 * i + 8
    copy = pltpu.make_async_copy(buffer.at[pl.ds(0, n)], o_hbm.at[pl.ds(0, n)], sem)
    copy.start()
#   ^ PL202 error "program (1,): rows 0..16 of buffer, which has 8"
    copy.wait()
#   ^ PL202 error "program (1,): rows 0..16 of buffer, which has 8"


pl.pallas_call(
    kernel,
    out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32),
    grid_spec=pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=(2,),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32), pltpu.SemaphoreType.DMA],
    ),
)(jnp.array([3, 9], jnp.int32), jnp.zeros((16, 128), jnp.float32))

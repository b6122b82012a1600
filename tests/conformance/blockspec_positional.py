"""BlockSpec's arguments by position: the third is the pipeline mode, the memory space has a name."""
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

spec = pl.BlockSpec((8,), lambda i: i, pl.Buffered(2))
print(spec.pipeline_mode, spec.memory_space)
spec = pl.BlockSpec((8,), lambda i: i, memory_space=pltpu.SMEM)
print(spec.pipeline_mode, spec.memory_space)
try:
  pl.BlockSpec((8,), lambda i: i, None, pltpu.VMEM)
except TypeError as error:
  print(type(error).__name__)


def kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


x = jnp.arange(16.0)
doubled = pl.pallas_call(
    kernel,
    grid=(2,),
    in_specs=[pl.BlockSpec((8,), lambda i: i, pl.Buffered(3))],
    out_specs=pl.BlockSpec((8,), lambda i: i, None, memory_space=pltpu.VMEM),
    out_shape=x,
    interpret=True,
)
print(doubled(x))

# Names of private modules that kernels of others import.
import jax
import jax.numpy as jnp
from jax._src import tree_util
from jax._src.pallas.mosaic.helpers import sync_copy
from jax._src.pallas.utils import align_to, next_power_of_2, strides_from_shape
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

print([next_power_of_2(n) for n in (0, 1, 2, 3, 8, 9, 1000)], strides_from_shape((2, 3, 4)), align_to(100, 32))
try:
  next_power_of_2(-1)
except ValueError as error:
  print(error)
print(tree_util.tree_map(lambda x: x + 1, {"a": 1, "b": (2, 3)}), tree_util.tree_leaves([1, (2, None)]))


def copy(x_ref, o_ref):
  sync_copy(x_ref, o_ref)


any_spec = pl.BlockSpec(memory_space=pl.ANY)
x = jnp.arange(8 * 128, dtype=jnp.float32).reshape(8, 128)
y = pl.pallas_call(copy, in_specs=[any_spec], out_specs=any_spec, out_shape=x, interpret=pltpu.InterpretParams())(x)
print(bool((x == y).all()))

# What the surfaces take their parameters and chips from.
from jax._src.pallas.mosaic import tpu_info
from jax._src.pallas.triton.core import CompilerParams

print(CompilerParams(num_warps=4), tpu_info.ChipVersion.TPU_V5E)
try:
  tpu_info.get_tpu_info()
except ValueError as error:
  print(error)
tpu_info.registry["cpu"] = lambda: tpu_info.get_tpu_info_for_chip(tpu_info.ChipVersion.TPU_V5E, 1)
print(tpu_info.get_tpu_info().generation, pltpu.get_tpu_info().vmem_capacity_bytes, tpu_info.is_tpu_device())

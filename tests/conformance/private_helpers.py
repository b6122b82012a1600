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

# Names that stand in annotations of kernels' wrappers.
# jax: runs
import jax
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def supported_on(device: jax.Device, numbers: lax.RaggedDotDimensionNumbers, params: pl.CompilerParams | None) -> bool:
    return device.platform == "cpu" and isinstance(params, pl.CompilerParams)


numbers = lax.RaggedDotDimensionNumbers(
    dot_dimension_numbers=(([1], [1]), ([], [])), lhs_ragged_dimensions=[0], rhs_group_dimensions=[0])
assert numbers.dot_dimension_numbers == (((1,), (1,)), ((), ()))
assert supported_on(jax.devices()[0], numbers, pltpu.CompilerParams())

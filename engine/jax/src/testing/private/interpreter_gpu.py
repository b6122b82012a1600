"""JAX's interpreter of GPU kernels."""

from jax._src.pallas.mosaic.interpret.interpret_pallas_call import (
    get_races,
    reset_gpu_interpret_mode_state,
)
from jax._src.pallas.mosaic.interpret import interpret_pallas_call as gpu_callbacks

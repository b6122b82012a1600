"""Options of JAX's interpreter of GPU kernels, and how to force it on every kernel."""
import dataclasses

from jax.experimental.pallas import tpu as pltpu


@dataclasses.dataclass(frozen=True, kw_only=True)
class InterpretGPUParams:
    detect_races: bool = False
    out_of_bounds_reads: str = "raise"
    skip_floating_point_ops: bool = False
    uninitialized_memory: str = "nan"
    num_cores_or_threads: int = 1
    vector_clock_size: int = None
    num_tma_threads_per_device: int = 1
    logging_mode: object = None

    def __post_init__(self):
        if self.vector_clock_size is not None:
            raise ValueError(
                f"`vector_clock_size` must be `None` for GPU interpret mode, but got {self.vector_clock_size}."
            )
        if self.num_tma_threads_per_device < 1:
            raise ValueError(
                "Number of TMA threads per device must be at least 1, but got"
                f" {self.num_tma_threads_per_device}."
            )


def force_gpu_interpret_mode(params=InterpretGPUParams()):
    return pltpu.force_tpu_interpret_mode(params)


def set_gpu_interpret_mode(params=InterpretGPUParams()):
    pltpu.set_tpu_interpret_mode(params)

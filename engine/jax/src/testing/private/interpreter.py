"""JAX's interpreters of kernels, as far as tests ask them: whether the last launch had races, and forgetting what failed."""

from jax._src.pallas.mosaic_gpu import staging


class _Races:
    """What the last launch that was interpreted has shown."""

    @property
    def races_found(self):
        return staging.races_found()


races = _Races()


def get_races():
    return races


def reset_gpu_interpret_mode_state():
    staging.forget_races()


def reset_tpu_interpret_mode_state():
    staging.forget_races()


def store(*args, **kwargs):
    """Called for stores of blocks by JAX's interpreter; here nothing calls it."""

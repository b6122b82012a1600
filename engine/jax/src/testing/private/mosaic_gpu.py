"""The GPU compiler, which is not here."""

import contextlib


class core:
    """Its limits."""

    @staticmethod
    @contextlib.contextmanager
    def artificial_shared_memory_limit(limit):
        yield


def __getattr__(name):
    if name == "LoweringSemantics":
        from jax.experimental.pallas.mosaic_gpu import LoweringSemantics

        return LoweringSemantics
    raise AttributeError(f"module 'jax.experimental.mosaic.gpu' has no attribute '{name}'")

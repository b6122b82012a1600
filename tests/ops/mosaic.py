"""What the programs for Mosaic GPU kernels have in common. The kernels stay as they are, but believe in a GPU with two cores;
JAX without a GPU runs few of them, so that what is recorded is what plain `jnp` computes.
"""

import sys
import types

import jax
from values import show

DEVICE = types.SimpleNamespace(core_count=2)


class _Jax:
    """`jax`, but for its devices."""

    def __getattr__(self, name):
        return getattr(jax, name)

    def devices(self):
        return [DEVICE]

    def local_devices(self):
        return [DEVICE]


def on_two_cores(module):
    """Has a module of kernels believe in two cores, and in a CUDA that is new enough."""
    if hasattr(module, "backend"):
        module.backend = types.SimpleNamespace(get_default_device=lambda: DEVICE)
    if hasattr(module, "cuda_versions"):
        module.cuda_versions = types.SimpleNamespace(cuda_runtime_get_version=lambda: 13000)
    module.jax = _Jax()
    return module


def show_kernel(name, run, plain):
    """Shows what a kernel computes; where it is recorded, what it ought to compute."""
    show(name, plain() if "--record" in sys.argv else run())

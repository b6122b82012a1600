"""Helpers of TPU kernels, under the name that some kernels import them by: they are public since they have another."""

from jax.experimental.pallas.tpu import core_barrier, run_on_first_core, sync_copy

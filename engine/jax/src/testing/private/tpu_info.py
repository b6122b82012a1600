"""Where the TPU surface has what it knows of chips from."""

from jax.experimental.pallas.tpu import (
    ChipVersion,
    Tiling,
    TpuInfo,
    get_tpu_info,
    get_tpu_info_for_chip,
    is_tpu_device,
)

# What devices of other kinds are taken for, by kind: functions that give a `TpuInfo`.
registry = {}

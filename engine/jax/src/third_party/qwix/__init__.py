"""qwix: quantized arrays and products of them, and the rules that say how to quantize. Providers, which put rules into models,
are not here."""

import dataclasses as _dataclasses

from qwix._arrays import QArray, dequantize, quantize
from qwix._products import dot, dot_general, einsum


@_dataclasses.dataclass(frozen=True, kw_only=True)
class QuantizationRule:
    """Which modules and operations are quantized, and how."""

    module_path: str = ".*"
    op_names: object = ()
    weight_qtype: object = None
    act_qtype: object = None
    tile_size: object = None
    act_static_scale: bool | None = None
    weight_calibration_method: str = "absmax"
    act_calibration_method: str | None = None
    act_batch_axes: object = (0,)


@_dataclasses.dataclass(frozen=True, kw_only=True)
class QtRule(QuantizationRule):
    """A rule for training: gradients, too."""

    bwd_qtype: object = None
    bwd_calibration_method: str = "absmax"
    bwd_weight_grad_tile_size: object = None
    disable_channelwise_axes: bool = False
    bwd_stochastic_rounding: str | None = None
    channelwise_noise_axes: object = (0,)
    additional_qt_config: object = None

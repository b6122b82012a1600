"""What the presets of dot algorithms say of their dtypes."""
from jax import lax

for preset in lax.DotAlgorithmPreset:
    print(preset, preset.supported_lhs_types, preset.supported_rhs_types, preset.accumulation_type)

//! One element out of an array, whatever its dtype.

use crate::dtype::{DType, Kind};
use crate::float8::Float8;

/// The value of one element, wide enough for every dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// An integer of any integer dtype.
    Int(i128),
    /// A float of any float dtype; exact, since every float dtype fits in `f64`.
    Float(f64),
    /// A random key.
    Key([u32; 2]),
}

impl Scalar {
    /// The value as a float; `None` for keys. Integers round to nearest even.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Scalar::Bool(value) => Some(f64::from(u8::from(value))),
            Scalar::Int(value) => Some(value as f64),
            Scalar::Float(value) => Some(value),
            Scalar::Key(_) => None,
        }
    }

    /// The value as an integer, floats truncated and saturated (NaN is 0); `None` for keys.
    pub fn as_int(self) -> Option<i128> {
        match self {
            Scalar::Bool(value) => Some(i128::from(value)),
            Scalar::Int(value) => Some(value),
            Scalar::Float(value) => Some(value as i128),
            Scalar::Key(_) => None,
        }
    }

    /// Whether the value counts as true: anything but zero (NaN is true); `None` for keys.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Scalar::Bool(value) => Some(value),
            Scalar::Int(value) => Some(value != 0),
            Scalar::Float(value) => Some(value != 0.0),
            Scalar::Key(_) => None,
        }
    }

    /// Zero of the dtype's kind.
    pub fn zero(dtype: DType) -> Scalar {
        match dtype.kind() {
            Kind::Bool => Scalar::Bool(false),
            Kind::Signed | Kind::Unsigned => Scalar::Int(0),
            Kind::Float => Scalar::Float(0.0),
            Kind::Key => Scalar::Key([0, 0]),
        }
    }

    /// What `GatherScatterMode.FILL_OR_DROP` puts where an index is out of bounds (`jnp.take`'s documentation).
    pub fn filler(dtype: DType) -> Scalar {
        match dtype.kind() {
            Kind::Bool => Scalar::Bool(true),
            Kind::Float => Scalar::Float(f64::NAN),
            Kind::Signed => Scalar::Int(dtype.iinfo().map_or(0, |info| info.min)),
            Kind::Unsigned => Scalar::Int(dtype.iinfo().map_or(0, |info| info.max)),
            Kind::Key => Scalar::Key([u32::MAX; 2]),
        }
    }

    /// The nearest value that `dtype` can hold, by the rules of `lax.convert_element_type`:
    /// integers wrap, floats round to nearest even, float to integer truncates and saturates.
    ///
    /// Between keys and numbers there is no conversion: the result is the dtype's zero.
    pub fn cast(self, dtype: DType) -> Scalar {
        let zero = Scalar::zero(dtype);
        match dtype.kind() {
            Kind::Bool => self.as_bool().map_or(zero, Scalar::Bool),
            Kind::Key => match self {
                Scalar::Key(_) => self,
                _ => zero,
            },
            Kind::Signed | Kind::Unsigned => match self {
                Scalar::Float(value) => Scalar::Int(saturate(value, dtype)),
                _ => self.as_int().map_or(zero, |value| Scalar::Int(wrap(value, dtype))),
            },
            Kind::Float => match (self, dtype) {
                (Scalar::Key(_), _) => zero,
                (_, DType::F64) => self.as_f64().map_or(zero, Scalar::Float),
                // Integers reach the narrow floats through `f32`, as in XLA.
                (Scalar::Int(value), _) => Scalar::Float(round(f64::from(value as f32), dtype)),
                _ => self.as_f64().map_or(zero, |value| Scalar::Float(round(value, dtype))),
            },
        }
    }
}

/// The integer's low bits, read as `dtype`.
fn wrap(value: i128, dtype: DType) -> i128 {
    let Some(info) = dtype.iinfo() else {
        return value;
    };
    // Two to the number of bits fits: the widest dtype has 64.
    let span = 1i128 << info.bits;
    let low = value & (span - 1);
    if low > info.max { low - span } else { low }
}

fn saturate(value: f64, dtype: DType) -> i128 {
    match dtype.iinfo() {
        Some(info) => (value as i128).clamp(info.min, info.max),
        None => value as i128,
    }
}

/// Rounds to the nearest value of a float dtype. As in XLA, the 16-bit floats round twice (through
/// `f32`), the 8-bit floats once.
fn round(value: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F64 => value,
        DType::F32 => f64::from(value as f32),
        DType::F16 => half::f16::from_f32(value as f32).to_f64(),
        DType::BF16 => half::bf16::from_f32(value as f32).to_f64(),
        _ => match Float8::of(dtype) {
            Some(format) => f64::from(format.decode(format.encode(value))),
            None => value,
        },
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Scalar {
        Scalar::Bool(value)
    }
}

impl From<f64> for Scalar {
    fn from(value: f64) -> Scalar {
        Scalar::Float(value)
    }
}

impl From<i64> for Scalar {
    fn from(value: i64) -> Scalar {
        Scalar::Int(value.into())
    }
}

impl From<i32> for Scalar {
    fn from(value: i32) -> Scalar {
        Scalar::Int(value.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_and_floats_saturate() {
        assert_eq!(Scalar::Int(255).cast(DType::I8), Scalar::Int(-1));
        assert_eq!(Scalar::Int(-1).cast(DType::U64), Scalar::Int(u64::MAX.into()));
        assert_eq!(Scalar::Int(9).cast(DType::I4), Scalar::Int(-7));
        assert_eq!(Scalar::Float(300.0).cast(DType::U8), Scalar::Int(255));
        assert_eq!(Scalar::Float(-3.7).cast(DType::I32), Scalar::Int(-3));
        assert_eq!(Scalar::Float(f64::NAN).cast(DType::I32), Scalar::Int(0));
        assert_eq!(Scalar::Float(0.5).cast(DType::Bool), Scalar::Bool(true));
    }

    #[test]
    fn floats_round_once() {
        // 2**53 + 2**29 + 1 lies above a tie of f32 that f64 would round onto.
        let value = (1i128 << 53) + (1i128 << 29) + 1;
        assert_eq!(Scalar::Int(value).cast(DType::F32), Scalar::Float(f64::from(value as f32)));
        assert_eq!(Scalar::Float(1.0 + 2f64.powi(-4) + 2f64.powi(-40)).cast(DType::F8E4M3Fn), Scalar::Float(1.125));
    }
}

//! Types as Triton IR spells them, and tiles in registers.

use crate::Refusal;
use pallas_tensor::DType;
use std::sync::Arc;

/// How Triton IR spells a dtype. Integers have no sign there: the ops have.
pub(crate) fn element(dtype: DType) -> Result<&'static str, Refusal> {
    Ok(match dtype {
        DType::Bool => "i1",
        DType::I8 | DType::U8 => "i8",
        DType::I16 | DType::U16 => "i16",
        DType::I32 | DType::U32 => "i32",
        DType::I64 | DType::U64 => "i64",
        DType::BF16 => "bf16",
        DType::F16 => "f16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::F8E4M3Fn => "f8E4M3FN",
        DType::F8E5M2 => "f8E5M2",
        DType::F8E4M3B11Fnuz => "f8E4M3B11FNUZ",
        DType::F8E4M3Fnuz => "f8E4M3FNUZ",
        DType::F8E5M2Fnuz => "f8E5M2FNUZ",
        other => return Err(Refusal::new(format!("Triton has no {} values", other.name()))),
    })
}

/// `f32`, or `tensor<8x128xf32>`.
pub(crate) fn shaped(element: &str, shape: &[usize]) -> String {
    if shape.is_empty() {
        return element.to_string();
    }
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("tensor<{}x{element}>", extents.join("x"))
}

/// A value: a scalar or a tile.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    /// Its name in the text, with the `%`.
    pub(crate) name: Arc<str>,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<usize>,
    /// Its value, for scalar integers that are known.
    pub(crate) known: Option<i64>,
}

impl Tile {
    /// Its type in the text. Tiles of dtypes without one are refused when they are made.
    pub(crate) fn ty(&self) -> String {
        shaped(element(self.dtype).unwrap_or("i32"), &self.shape)
    }

    /// The type of its elements in the text.
    pub(crate) fn element(&self) -> &'static str {
        element(self.dtype).unwrap_or("i32")
    }

    pub(crate) fn is_scalar(&self) -> bool {
        self.shape.is_empty()
    }
}

/// Whether Triton computes with tiles of this shape: it wants powers of two.
pub(crate) fn check_size(shape: &[usize]) -> Result<(), Refusal> {
    let size: usize = shape.iter().product();
    if size.is_power_of_two() {
        return Ok(());
    }
    Err(Refusal::new(format!(
        "Triton wants arrays whose size is a power of 2, and one here has shape {}: choose such blocks, and mask what is too much",
        pallas_tensor::Shape::from(shape)
    )))
}

/// A float as MLIR reads it: exact, with a point, or its bits where there is no such number.
pub(crate) fn float(value: f64, dtype: DType) -> String {
    if value.is_finite() {
        let short = format!("{:e}", value as f32);
        let exact = match short.parse::<f64>() {
            Ok(read) if dtype == DType::F32 && f64::from(read as f32) == value && (read as f32) as f64 == value => {
                short
            }
            _ => format!("{value:e}"),
        };
        let (digits, exponent) = exact.split_once('e').unwrap_or((exact.as_str(), "0"));
        let point = if digits.contains('.') { "" } else { ".0" };
        return format!("{digits}{point}e{exponent}");
    }
    let (nan, infinite, sign, digits) = match dtype {
        DType::F64 => (0x7FF8_0000_0000_0000_u64, 0x7FF0_0000_0000_0000, 63, 16),
        DType::F16 => (0x7E00, 0x7C00, 15, 4),
        DType::BF16 => (0x7FC0, 0x7F80, 15, 4),
        DType::F8E5M2 => (0x7E, 0x7C, 7, 2),
        // The other eight-bit floats have no infinities; they are not numbers.
        dtype if dtype.bits() == 8 => (0x7F, 0x7F, 7, 2),
        _ => (0x7FC0_0000, 0x7F80_0000, 31, 8),
    };
    let bits = if value.is_nan() { nan } else { infinite } | u64::from(value == f64::NEG_INFINITY) << sign;
    format!("0x{bits:0digits$X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_exact_and_have_a_point() {
        assert_eq!(float(0.0, DType::F32), "0.0e0");
        assert_eq!(float(-1.0, DType::BF16), "-1.0e0");
        assert_eq!(float(f64::from(0.1_f32), DType::F32), "1.0e-1");
        assert_eq!(float(0.1, DType::F64), "1.0e-1");
        assert_eq!(float(f64::from(0.1_f32), DType::F64), "1.0000000149011612e-1");
        assert_eq!(float(f64::NAN, DType::F32), "0x7FC00000");
        assert_eq!(float(f64::NEG_INFINITY, DType::F16), "0xFC00");
        assert_eq!(float(f64::INFINITY, DType::F64), "0x7FF0000000000000");
    }
}

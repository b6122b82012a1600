//! One value: Python's, numpy's and ml_dtypes' texts for it.

use crate::dtype::{DType, Kind};
use crate::print::digits::{Wanted, percent_g, positional, scientific};
use crate::scalar::Scalar;

/// What `repr` of a Python float shows: shortest digits, scientific from 1e16 on and below 1e-4.
pub fn python_float_repr(value: f64) -> String {
    float_text(value, DType::F64)
}

/// What `str` of a scalar shows: `print(jnp.float32(0.1))` is `0.1`, `print(jnp.bfloat16(3))` is
/// `3`.
pub fn scalar_str(dtype: DType, value: Scalar) -> String {
    match (dtype.kind(), value) {
        (Kind::Bool, _) => {
            let text = if value.as_bool() == Some(true) { "True" } else { "False" };
            text.to_owned()
        }
        (Kind::Signed | Kind::Unsigned, _) => value.as_int().unwrap_or(0).to_string(),
        (Kind::Float, _) => float_text(value.as_f64().unwrap_or(0.0), dtype),
        (Kind::Key, Scalar::Key([high, low])) => format!("[{high} {low}]"),
        (Kind::Key, _) => String::new(),
    }
}

/// What `repr` of a numpy scalar shows: `np.float32(0.1)`, `np.True_`; ml_dtypes' show no name.
pub fn scalar_repr(dtype: DType, value: Scalar) -> String {
    let text = scalar_str(dtype, value);
    match dtype {
        DType::Bool => format!("np.{text}_"),
        _ if !dtype.is_numpy() => text,
        _ => format!("np.{dtype}({text})"),
    }
}

/// The text of a float of a dtype; narrow dtypes other than `float16` print as C's `%g`.
pub(super) fn float_text(value: f64, dtype: DType) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    // The largest value that numpy 2.4 prints without an exponent.
    let limit = match dtype {
        DType::F16 => 1e3,
        DType::F32 => 1e6,
        DType::F64 => 1e16,
        _ => return percent_g(value),
    };
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-4..limit).contains(&magnitude) {
        let digits = positional(magnitude, dtype, Wanted::UNIQUE);
        let fraction = match digits.fraction.as_str() {
            "" => "0",
            fraction => fraction,
        };
        return format!("{sign}{}.{fraction}", digits.integer);
    }
    let digits = scientific(magnitude, dtype, Wanted::UNIQUE);
    let point = if digits.fraction.is_empty() { "" } else { "." };
    let exponent = digits.exponent_text(2);
    format!("{sign}{}{point}{}e{exponent}", digits.integer, digits.fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by Python 3.11.
    #[test]
    fn python_floats() {
        for (value, text) in [
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (9999999999999998.0, "9999999999999998.0"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (-0.0, "-0.0"),
            (1.5e300, "1.5e+300"),
            (5e-324, "5e-324"),
            (f64::NEG_INFINITY, "-inf"),
            (123456789.125, "123456789.125"),
        ] {
            assert_eq!(python_float_repr(value), text);
        }
    }
}

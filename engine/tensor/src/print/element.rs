//! How each element of one array is written: numpy's format classes, which look at all elements
//! (of a summarised array, at those shown) before writing the first.

use crate::dtype::{DType, Kind};
use crate::print::digits::{Wanted, positional, scientific};
use crate::print::options::{FloatMode, PrintOptions, Sign};
use crate::print::scalar::scalar_str;
use crate::scalar::Scalar;

/// The format of the elements of one array.
pub(super) enum ElementFormat {
    /// numpy pads `True` to the width of `False`, but not in arrays of rank 0.
    Bool {
        pad: bool,
    },
    Integer {
        sign: Sign,
        width: usize,
    },
    Float(FloatFormat),
    /// ml_dtypes' types are foreign to numpy: each element on its own.
    Plain(DType),
}

impl ElementFormat {
    pub(super) fn new(dtype: DType, rank: usize, values: &[Scalar], options: &PrintOptions) -> ElementFormat {
        match dtype {
            DType::Bool => ElementFormat::Bool { pad: rank > 0 },
            DType::F16 | DType::F32 | DType::F64 => {
                let values = values.iter().filter_map(|value| value.as_f64()).collect();
                ElementFormat::Float(FloatFormat::new(dtype, values, options))
            }
            _ if dtype.bits() < 8 || matches!(dtype.kind(), Kind::Float | Kind::Key) => ElementFormat::Plain(dtype),
            _ => integer_format(values, options),
        }
    }

    pub(super) fn text(&self, value: Scalar) -> String {
        match self {
            ElementFormat::Bool { pad } => match (value.as_bool(), pad) {
                (Some(true), true) => " True".to_owned(),
                (Some(true), false) => "True".to_owned(),
                _ => "False".to_owned(),
            },
            ElementFormat::Integer { sign, width } => {
                let value = value.as_int().unwrap_or(0);
                let text = match sign {
                    Sign::Plus => format!("{value:+}"),
                    Sign::Space if value >= 0 => format!(" {value}"),
                    _ => value.to_string(),
                };
                format!("{text:>width$}")
            }
            ElementFormat::Float(format) => format.text(value.as_f64().unwrap_or(0.0)),
            ElementFormat::Plain(dtype) => scalar_str(*dtype, value),
        }
    }
}

/// numpy's `IntegerFormat`.
fn integer_format(values: &[Scalar], options: &PrintOptions) -> ElementFormat {
    let integers = || values.iter().filter_map(|value| value.as_int());
    let (Some(max), Some(min)) = (integers().max(), integers().min()) else {
        return ElementFormat::Integer { sign: options.sign, width: 0 };
    };
    let sign = match options.sign {
        Sign::Space if min < 0 => Sign::Minus,
        sign => sign,
    };
    let marked = usize::from(max >= 0 && sign != Sign::Minus);
    let width = (max.to_string().len() + marked).max(min.to_string().len());
    ElementFormat::Integer { sign, width }
}

/// numpy's `FloatingFormat`.
pub(super) struct FloatFormat {
    dtype: DType,
    scientific: bool,
    wanted: Wanted,
    plus: bool,
    pad_left: usize,
    pad_right: usize,
    exponent_digits: usize,
    nan: String,
    infinity: String,
}

impl FloatFormat {
    fn new(dtype: DType, values: Vec<f64>, options: &PrintOptions) -> FloatFormat {
        let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        let mut format = FloatFormat {
            dtype,
            scientific: needs_exponent(dtype, &finite, options.suppress),
            wanted: Wanted {
                unique: options.floatmode != FloatMode::Fixed,
                at_most: match options.floatmode {
                    FloatMode::Unique => None,
                    // No float has more digits, and Rust's formatter takes only so many.
                    _ => Some(options.precision.min(1100)),
                },
                at_least: 0,
            },
            plus: options.sign == Sign::Plus,
            pad_left: 0,
            pad_right: 0,
            exponent_digits: 2,
            nan: options.nanstr.clone(),
            infinity: options.infstr.clone(),
        };
        format.measure(&finite, options.floatmode);
        if options.sign == Sign::Space && !finite.iter().any(|value| value.is_sign_negative()) {
            format.pad_left += 1;
        }
        if finite.len() != values.len() {
            let minus_infinity = values.contains(&f64::NEG_INFINITY);
            let signed = options.sign != Sign::Minus || minus_infinity;
            let offset = format.pad_right + 1;
            let widest = format.nan.len().max(format.infinity.len() + usize::from(signed));
            let widest = widest.min(usize::from(u16::MAX));
            format.pad_left = format.pad_left.max(widest.saturating_sub(offset));
        }
        format
    }

    /// Writes every value once to learn the widths.
    fn measure(&mut self, finite: &[f64], floatmode: FloatMode) {
        let sign_width = |value: f64| usize::from(value.is_sign_negative() || self.plus);
        let mut left = 0;
        let mut right = 0;
        for &value in finite {
            let magnitude = value.abs();
            let (integer, fraction) = if self.scientific {
                let digits = scientific(magnitude, self.dtype, self.wanted);
                let exponent = digits.exponent_text(2).len() - 1;
                self.exponent_digits = self.exponent_digits.max(exponent);
                (digits.integer, digits.fraction)
            } else {
                let digits = positional(magnitude, self.dtype, self.wanted);
                (digits.integer, digits.fraction)
            };
            left = left.max(integer.len() + sign_width(value));
            right = right.max(fraction.len());
        }
        if finite.is_empty() {
            return;
        }
        self.pad_left = left;
        self.pad_right = right;
        if self.scientific {
            self.wanted.at_most = Some(right);
            self.wanted.at_least = right;
            self.pad_right = self.exponent_digits + 2 + right;
        } else if matches!(floatmode, FloatMode::Fixed | FloatMode::MaxprecEqual) {
            self.wanted.at_most = Some(right);
            self.wanted.at_least = right;
        }
    }

    fn text(&self, value: f64) -> String {
        let sign = match value.is_sign_negative() {
            true => "-",
            false if self.plus => "+",
            false => "",
        };
        if !value.is_finite() {
            let text = if value.is_nan() {
                format!("{}{}", if self.plus { "+" } else { "" }, self.nan)
            } else {
                format!("{sign}{}", self.infinity)
            };
            let width = (self.pad_left + self.pad_right + 1).min(usize::from(u16::MAX));
            return format!("{text:>width$}");
        }
        let magnitude = value.abs();
        let (left, digits) = (self.pad_left, self.wanted.at_least);
        if self.scientific {
            let found = scientific(magnitude, self.dtype, self.wanted);
            let integer = format!("{sign}{}", found.integer);
            let exponent = found.exponent_text(self.exponent_digits);
            return format!("{integer:>left$}.{:0<digits$}e{exponent}", found.fraction);
        }
        let found = positional(magnitude, self.dtype, self.wanted);
        let integer = format!("{sign}{}", found.integer);
        let fraction = format!("{:0<digits$}", found.fraction);
        let right = self.pad_right;
        format!("{integer:>left$}.{fraction:<right$}")
    }
}

/// numpy's choice of scientific notation, computed in the array's own dtype.
fn needs_exponent(dtype: DType, finite: &[f64], suppress: bool) -> bool {
    let magnitudes = || finite.iter().map(|value| value.abs()).filter(|&value| value != 0.0);
    let (Some(max), Some(min)) = (magnitudes().reduce(f64::max), magnitudes().reduce(f64::min)) else {
        return false;
    };
    let in_dtype = |value: f64| match Scalar::Float(value).cast(dtype) {
        Scalar::Float(value) => value,
        _ => value,
    };
    let digits = dtype.finfo().map_or(8, |info| info.precision.min(8));
    let cutoff = 10f64.powi(digits as i32);
    let small = min < in_dtype(0.0001) || in_dtype(max / min) > 1000.0;
    max >= cutoff || !suppress && small
}

//! Decimal digits of binary floats: numpy's `dragon4_positional` and `dragon4_scientific`, C's
//! `%g`. Finite values only; signs are the caller's.

use half::f16;

use crate::dtype::DType;

/// The shortest digits that tell a value from its neighbours of the same dtype:
/// `d.ddd * 10**exponent`.
struct Shortest {
    digits: String,
    exponent: i32,
}

/// Splits Rust's `1.25e-7`.
fn split_scientific(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// Whether the text reads back as the same value of the dtype.
fn reads_back(text: &str, magnitude: f64, dtype: DType) -> bool {
    match dtype {
        DType::F64 => text.parse() == Ok(magnitude),
        DType::F16 => text.parse().map(f16::from_f64) == Ok(f16::from_f64(magnitude)),
        _ => text.parse() == Ok(magnitude as f32),
    }
}

fn shortest(magnitude: f64, dtype: DType) -> Shortest {
    let text = match dtype {
        DType::F64 => format!("{magnitude:e}"),
        DType::F16 => {
            // At most five digits are needed for 11 bits.
            let candidates = (0..5).map(|precision| format!("{magnitude:.precision$e}"));
            let found = candidates.into_iter().find(|text| reads_back(text, magnitude, dtype));
            found.unwrap_or_else(|| format!("{magnitude:e}"))
        }
        _ => format!("{:e}", magnitude as f32),
    };
    let (digits, exponent) = split_scientific(&text);
    // Where two shortest texts are equally near, Rust takes the upper, Python and numpy the even.
    let precision = digits.len() - 1;
    let even = format!("{magnitude:.precision$e}");
    if even != text && reads_back(&even, magnitude, dtype) {
        let (digits, exponent) = split_scientific(&even);
        return Shortest { digits, exponent };
    }
    Shortest { digits, exponent }
}

/// Digits before and after the point of a magnitude.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Positional {
    pub(super) integer: String,
    /// Without trailing zeros, unless digits were asked for exactly.
    pub(super) fraction: String,
}

/// How many digits to write after the point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// The shortest digits that are unique, rather than as many of the exact value as `at_most`.
    pub(super) unique: bool,
    /// No more than this.
    pub(super) at_most: Option<usize>,
    /// If unique digits are fewer than this, more of the exact value.
    pub(super) at_least: usize,
}

impl Wanted {
    /// As many as tell the value from its neighbours.
    pub(super) const UNIQUE: Wanted = Wanted { unique: true, at_most: None, at_least: 0 };

    /// How many digits of the exact value to write, or `None` for the unique ones, of which there
    /// are `count`.
    fn exactly(self, count: usize) -> Option<usize> {
        match self.at_most {
            Some(at_most) if !self.unique || count > at_most => Some(at_most),
            None if !self.unique => Some(0),
            _ => Some(self.at_least).filter(|&at_least| count < at_least),
        }
    }

    /// Digits after the point without the zeros that nobody asked for.
    fn trim(self, fraction: &str) -> &str {
        let kept = if self.unique { self.at_least } else { fraction.len() };
        let significant = fraction.trim_end_matches('0').len();
        &fraction[..significant.max(kept.min(fraction.len()))]
    }
}

/// Digits of a magnitude around the point.
pub(super) fn positional(magnitude: f64, dtype: DType, wanted: Wanted) -> Positional {
    let mut precision = wanted.exactly(0).unwrap_or(0);
    if wanted.unique {
        let Shortest { digits, exponent } = shortest(magnitude, dtype);
        let split = exponent + 1;
        let (integer, fraction) = if split <= 0 {
            let zeros = "0".repeat(split.unsigned_abs() as usize);
            ("0".to_owned(), format!("{zeros}{digits}"))
        } else {
            let split = split as usize;
            let integer = format!("{digits:0<split$}");
            (integer[..split].to_owned(), integer[split..].to_owned())
        };
        let fraction = fraction.trim_end_matches('0').to_owned();
        match wanted.exactly(fraction.len()) {
            None => return Positional { integer, fraction },
            Some(exactly) => precision = exactly,
        }
    }
    // Other than the unique digits are those of the exact value, as in dragon4.
    let text = format!("{magnitude:.precision$}");
    let (integer, fraction) = text.split_once('.').unwrap_or((&text, ""));
    Positional { integer: integer.to_owned(), fraction: wanted.trim(fraction).to_owned() }
}

/// Digits of a magnitude in scientific notation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scientific {
    pub(super) integer: String,
    /// Without trailing zeros, unless digits were asked for exactly.
    pub(super) fraction: String,
    pub(super) exponent: i32,
}

/// As [`positional`], with one digit before the point.
pub(super) fn scientific(magnitude: f64, dtype: DType, wanted: Wanted) -> Scientific {
    let mut precision = wanted.exactly(0).unwrap_or(0);
    if wanted.unique {
        let Shortest { digits, exponent } = shortest(magnitude, dtype);
        let fraction = digits[1..].trim_end_matches('0');
        match wanted.exactly(fraction.len()) {
            None => {
                return Scientific { integer: digits[..1].to_owned(), fraction: fraction.to_owned(), exponent };
            }
            Some(exactly) => precision = exactly,
        }
    }
    let (digits, exponent) = split_scientific(&format!("{magnitude:.precision$e}"));
    Scientific { integer: digits[..1].to_owned(), fraction: wanted.trim(&digits[1..]).to_owned(), exponent }
}

impl Scientific {
    /// `e+09`: the exponent with its sign and at least two digits.
    pub(super) fn exponent_text(&self, digits: usize) -> String {
        let sign = if self.exponent < 0 { '-' } else { '+' };
        format!("{sign}{:0>digits$}", self.exponent.unsigned_abs())
    }
}

/// C's `%g` of a finite value: six significant digits, trailing zeros dropped.
pub(super) fn percent_g(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let magnitude = value.abs();
    let rounded = scientific(magnitude, DType::F64, Wanted { unique: false, at_most: Some(5), at_least: 0 });
    let text = if (-4..6).contains(&rounded.exponent) {
        let precision = (5 - rounded.exponent) as usize;
        format!("{magnitude:.precision$}")
    } else {
        format!("{}.{}", rounded.integer, rounded.fraction)
    };
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if (-4..6).contains(&rounded.exponent) {
        format!("{sign}{text}")
    } else {
        format!("{sign}{text}e{}", rounded.exponent_text(2))
    }
}

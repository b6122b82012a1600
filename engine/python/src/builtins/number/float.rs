//! Arithmetic of `float` with Python's signs and errors, and its conversions to and from integers and decimal text.

use super::NumberError;
use crate::int::Int;
use num_bigint::BigInt;

type Outcome<T> = Result<T, NumberError>;

/// `value * 2 ** exponent`. Exact unless the result is subnormal and `value` has bits that do not fit.
pub fn load_exponent(value: f64, exponent: i32) -> f64 {
    let mut value = value;
    let mut exponent = exponent.clamp(-2200, 2200);
    while exponent > 1000 {
        value *= power_of_two(1000);
        exponent -= 1000;
    }
    while exponent < -1000 {
        value *= power_of_two(-1000);
        exponent += 1000;
    }
    value * power_of_two(exponent)
}

/// `2 ** exponent` for exponents of normal floats.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Mantissa and exponent with `value == mantissa * 2 ** exponent`, the mantissa an odd integer or zero.
/// `value` must be finite.
pub fn decompose(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let biased = (bits >> 52 & 0x7ff) as i32;
    let (mantissa, exponent) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    (if value.is_sign_negative() { -mantissa } else { mantissa }, exponent + zeros as i32)
}

/// The integer part; `None` for NaN and infinities.
pub fn to_integer(value: f64) -> Option<Int> {
    if !value.is_finite() {
        return None;
    }
    let value = value.trunc();
    if value.abs() < 9e18 {
        return Some(Int::Small(value as i64));
    }
    let (mantissa, exponent) = decompose(value);
    // Above 9e18 the exponent of an odd mantissa may still be small, but never negative.
    Some(Int::from(BigInt::from(mantissa) << exponent.max(0) as u32))
}

/// `int(value)` with the errors of CPython.
pub fn to_integer_checked(value: f64) -> Outcome<Int> {
    if value.is_nan() {
        return Err(NumberError::Value("cannot convert float NaN to integer"));
    }
    to_integer(value).ok_or(NumberError::Overflow("cannot convert float infinity to integer"))
}

/// `value.as_integer_ratio()` of a finite float, in lowest terms.
pub fn integer_ratio(value: f64) -> (Int, Int) {
    let (mantissa, exponent) = decompose(value);
    if exponent >= 0 {
        (Int::from(BigInt::from(mantissa) << exponent as u32), Int::Small(1))
    } else {
        (Int::Small(mantissa), Int::from(BigInt::from(1) << exponent.unsigned_abs()))
    }
}

/// `a // b` and `a % b`, rounding down, the remainder with the sign of `b`. `b` is not zero.
pub fn divide_floor(a: f64, b: f64) -> (f64, f64) {
    let mut remainder = a % b;
    let mut quotient = (a - remainder) / b;
    if remainder != 0.0 {
        if (b < 0.0) != (remainder < 0.0) {
            remainder += b;
            quotient -= 1.0;
        }
    } else {
        remainder = 0.0f64.copysign(b);
    }
    let floored = if quotient != 0.0 {
        let floor = quotient.floor();
        if quotient - floor > 0.5 { floor + 1.0 } else { floor }
    } else {
        0.0f64.copysign(a / b)
    };
    (floored, remainder)
}

/// `a ** b` where it stays real; `None` where the result is complex (a negative base, a broken exponent).
pub fn power(a: f64, b: f64) -> Outcome<Option<f64>> {
    if b == 0.0 || a == 1.0 {
        return Ok(Some(1.0));
    }
    if a.is_nan() || b.is_nan() {
        return Ok(Some(f64::NAN));
    }
    if a == 0.0 && b < 0.0 {
        return Err(NumberError::ZeroDivision("0.0 cannot be raised to a negative power"));
    }
    if a < 0.0 && a.is_finite() && b.is_finite() && b != b.floor() {
        return Ok(None);
    }
    let result = a.powf(b);
    if result.is_infinite() && a.is_finite() && b.is_finite() {
        return Err(NumberError::OutOfRange);
    }
    Ok(Some(result))
}

/// `round(value)`: half to even, as an integer.
pub fn round_to_integer(value: f64) -> Outcome<Int> {
    to_integer_checked(value.round_ties_even())
}

/// `round(value, digits)`: correctly rounded from the exact decimal expansion, so `round(2.675, 2) == 2.67`.
pub fn round_to_digits(value: f64, digits: i64) -> Outcome<f64> {
    // A float has at most 324 decimals before its digits begin, and at most 309 digits before the point.
    if !value.is_finite() || value == 0.0 || digits > 323 {
        return Ok(value);
    }
    if digits < -308 {
        return Ok(0.0f64.copysign(value));
    }
    let rounded = if digits >= 0 {
        // Exact decimal expansion, ties to even on the decimal digit, then the nearest float.
        format!("{value:.*}", digits as usize).parse::<f64>()
    } else {
        round_to_power_of_ten(value, digits.unsigned_abs() as usize).parse::<f64>()
    };
    // The text is digits that Rust itself wrote, so it parses.
    let rounded = rounded.unwrap_or(value);
    if rounded.is_infinite() {
        return Err(NumberError::Overflow("rounded value too large to represent"));
    }
    Ok(rounded)
}

/// `value` rounded to a multiple of `10 ** zeros`, half to even, as text.
fn round_to_power_of_ten(value: f64, zeros: usize) -> String {
    use num_integer::Integer;
    let negative = value.is_sign_negative();
    let (numerator, denominator) = integer_ratio(value.abs());
    let unit = denominator.to_big() * BigInt::from(10).pow(zeros as u32);
    let (quotient, remainder) = numerator.to_big().div_mod_floor(&unit);
    let twice = &remainder * 2;
    let up = twice > unit || (twice == unit && quotient.is_odd());
    let quotient = if up { quotient + 1 } else { quotient };
    format!("{}{quotient}e{zeros}", if negative { "-" } else { "" })
}

/// `float(text)`: underscores between digits, `inf`, `infinity`, `nan` in any case, spaces around.
pub fn parse(text: &str) -> Option<f64> {
    let text = text.trim_matches(crate::builtins::text::is_space);
    let mut clean = String::with_capacity(text.len());
    let mut previous = '\0';
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if c == '_' {
            if !previous.is_ascii_digit() || !characters.peek().is_some_and(char::is_ascii_digit) {
                return None;
            }
        } else {
            match crate::builtins::text::decimal_value(c).and_then(|digit| char::from_digit(digit, 10)) {
                Some(digit) => clean.push(digit),
                None => clean.push(c),
            }
        }
        previous = c;
    }
    // Rust's grammar is Python's, once underscores and spaces are gone: `1.`, `.5`, `1e5`, `inf`, `nan`, `infinity`.
    clean.parse().ok()
}

//! Arithmetic of `complex` as CPython computes it, part by part, so that the last bit agrees.

use super::NumberError;

type Outcome<T> = Result<T, NumberError>;
/// Real and imaginary part.
pub type Parts = (f64, f64);

/// `a * b`
pub fn multiply(a: Parts, b: Parts) -> Parts {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// `a / b`, scaling by the larger part of `b`.
pub fn divide(a: Parts, b: Parts) -> Outcome<Parts> {
    let (real, imaginary) = (b.0.abs(), b.1.abs());
    if real >= imaginary {
        if real == 0.0 {
            return Err(NumberError::ZeroDivision("complex division by zero"));
        }
        let ratio = b.1 / b.0;
        let denominator = b.0 + b.1 * ratio;
        return Ok(((a.0 + a.1 * ratio) / denominator, (a.1 - a.0 * ratio) / denominator));
    }
    if imaginary >= real {
        let ratio = b.0 / b.1;
        let denominator = b.0 * ratio + b.1;
        return Ok(((a.0 * ratio + a.1) / denominator, (a.1 * ratio - a.0) / denominator));
    }
    Ok((f64::NAN, f64::NAN))
}

/// `a ** b`: by squaring for small whole exponents, by polar form otherwise.
pub fn power(a: Parts, b: Parts) -> Outcome<Parts> {
    if b == (0.0, 0.0) {
        return Ok((1.0, 0.0));
    }
    if a == (0.0, 0.0) {
        if b.1 != 0.0 || b.0 < 0.0 {
            return Err(NumberError::ZeroDivision("0.0 to a negative or complex power"));
        }
        return Ok((0.0, 0.0));
    }
    let result = if b.1 == 0.0 && b.0 == b.0.floor() && b.0.abs() <= 100.0 {
        let whole = power_whole(a, b.0.abs() as u32);
        if b.0 > 0.0 { whole } else { divide((1.0, 0.0), whole)? }
    } else {
        let absolute = a.0.hypot(a.1);
        let mut length = absolute.powf(b.0);
        let angle = a.1.atan2(a.0);
        let mut phase = angle * b.0;
        if b.1 != 0.0 {
            length /= (angle * b.1).exp();
            phase += b.1 * absolute.ln();
        }
        (length * phase.cos(), length * phase.sin())
    };
    let finite = |value: Parts| value.0.is_finite() && value.1.is_finite();
    if !finite(result) && finite(a) && finite(b) {
        return Err(NumberError::Overflow("complex exponentiation"));
    }
    Ok(result)
}

fn power_whole(base: Parts, exponent: u32) -> Parts {
    let mut result = (1.0, 0.0);
    let mut square = base;
    let mut mask = 1;
    while mask <= exponent {
        if exponent & mask != 0 {
            result = multiply(result, square);
        }
        mask <<= 1;
        square = multiply(square, square);
    }
    result
}

/// `abs(a)`. OverflowError where it does not fit.
pub fn absolute(a: Parts) -> Outcome<f64> {
    let length = a.0.hypot(a.1);
    if length.is_infinite() && a.0.is_finite() && a.1.is_finite() {
        return Err(NumberError::Overflow("absolute value too large"));
    }
    Ok(length)
}

/// `complex(text)`: `1+2j`, `-2j`, `(1e3-.5j)`, spaces and one pair of parentheses around.
pub fn parse(text: &str) -> Option<Parts> {
    let text = text.trim_matches(crate::builtins::text::is_space);
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let text = inner.unwrap_or(text).trim_matches(crate::builtins::text::is_space);
    if text.contains(char::is_whitespace) || text.is_empty() {
        return None;
    }
    let Some(body) = text.strip_suffix(['j', 'J']) else {
        return Some((super::float::parse(text)?, 0.0));
    };
    // The sign that starts the imaginary part: the last one that is not part of an exponent.
    let bytes = body.as_bytes();
    let split =
        (1..bytes.len()).rev().find(|&at| matches!(bytes[at], b'+' | b'-') && !matches!(bytes[at - 1], b'e' | b'E'));
    let (real, imaginary) = match split {
        Some(at) => (super::float::parse(&body[..at])?, &body[at..]),
        None => (0.0, body),
    };
    let imaginary = match imaginary {
        "" | "+" => 1.0,
        "-" => -1.0,
        text => super::float::parse(text)?,
    };
    Some((real, imaginary))
}

//! Floats as text: the shortest digits that read back (`repr`), and `e`, `f`, `g` rounded correctly from the exact value.

/// Past this many digits the exact expansion of a float has only zeros.
const LONGEST_EXPANSION: usize = 1100;

/// `repr(value)`
pub fn repr(value: f64) -> String {
    repr_with(value, false)
}

/// `repr`, or the empty type under `#`, where an exponent follows a point.
fn repr_with(value: f64, alternate: bool) -> String {
    if let Some(special) = special(value) {
        return special.to_owned();
    }
    let (digits, exponent) = shortest(value.abs());
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let body = if (-4..16).contains(&exponent) {
        let mut body = place_point(&digits, exponent);
        if !body.contains('.') {
            body.push_str(".0");
        }
        body
    } else {
        scientific(&digits, exponent, alternate)
    };
    format!("{sign}{body}")
}

/// As part of a complex number: `repr` without the `.0`.
pub fn repr_part(value: f64) -> String {
    let text = repr(value);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("nan")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "inf" } else { "-inf" })
    } else {
        None
    }
}

/// The shortest digits that read back, without a point, and the decimal exponent of the first one.
fn shortest(value: f64) -> (String, i32) {
    split_scientific(&format!("{value:e}"))
}

/// `value` rounded to `count` significant digits.
fn significant(value: f64, count: usize) -> (String, i32) {
    let kept = count.min(LONGEST_EXPANSION);
    let (mut digits, exponent) = split_scientific(&format!("{value:.*e}", kept.saturating_sub(1)));
    digits.extend(std::iter::repeat_n('0', count - kept));
    (digits, exponent)
}

fn split_scientific(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    // Rust writes the exponent as a plain integer.
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// Digits with the point where the exponent says, zeros filled in.
fn place_point(digits: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{digits}{}", "0".repeat(whole - digits.len()));
    }
    format!("{}.{}", &digits[..whole], &digits[whole..])
}

fn scientific(digits: &str, exponent: i32, alternate: bool) -> String {
    let (first, rest) = digits.split_at(1);
    let point = if !rest.is_empty() || alternate { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{first}{point}{rest}e{sign}{:02}", exponent.unsigned_abs())
}

/// The magnitude of a float under a conversion of the mini-language or of `%`: `e`, `f`, `g` (any case), or `r` for
/// `repr`. No sign; `inf` and `nan` in the case of the conversion. `dot_zero` marks a whole number as a float, as the
/// empty type does.
pub fn convert(value: f64, kind: char, precision: usize, alternate: bool, dot_zero: bool) -> String {
    let value = value.abs();
    let text = if let Some(special) = special(value) {
        special.to_owned()
    } else {
        match kind.to_ascii_lowercase() {
            'e' => {
                let (digits, exponent) = significant(value, precision + 1);
                scientific(&digits, exponent, alternate)
            }
            'f' => {
                let kept = precision.min(LONGEST_EXPANSION);
                let mut text = format!("{value:.kept$}");
                text.extend(std::iter::repeat_n('0', precision - kept));
                if alternate && precision == 0 {
                    text.push('.');
                }
                text
            }
            'g' => general(value, precision.max(1), alternate, dot_zero),
            _ => repr_with(value, alternate),
        }
    };
    if kind.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }
}

fn general(value: f64, precision: usize, alternate: bool, dot_zero: bool) -> String {
    let (mut digits, exponent) = significant(value, precision);
    if !alternate {
        let kept = digits.trim_end_matches('0').len().max(1);
        digits.truncate(kept);
    }
    let most = precision as i64 - i64::from(dot_zero);
    if exponent < -4 || i64::from(exponent) >= most {
        return scientific(&digits, exponent, alternate);
    }
    let mut text = place_point(&digits, exponent);
    if !text.contains('.') {
        if dot_zero {
            text.push_str(".0");
        } else if alternate {
            text.push('.');
        }
    }
    text
}

//! `format(number, spec)`: digits, sign, prefix, grouping and padding.

use super::float;
use super::spec::{Align, FormatError, Sign, Spec, pad};
use crate::builtins::number::{NumberError, integer};
use crate::int::Int;

/// Digits of one number on their way to the final text.
struct Parts {
    negative: bool,
    /// `0x` and the like.
    prefix: &'static str,
    /// What grouping applies to.
    digits: String,
    /// Point, decimals, exponent, `%`, or `inf`.
    rest: String,
}

fn unknown_kind(kind: char, type_name: &str) -> FormatError {
    if (' '..'\u{80}').contains(&kind) {
        FormatError::value(format!("Unknown format code '{kind}' for object of type '{type_name}'"))
    } else {
        FormatError::value(format!("Unknown format code '\\x{:x}' for object of type '{type_name}'", u32::from(kind)))
    }
}

impl From<NumberError> for FormatError {
    fn from(error: NumberError) -> Self {
        match error {
            NumberError::ZeroDivision(message) | NumberError::Value(message) => FormatError::value(message),
            NumberError::Overflow(message) => FormatError::Overflow(message.to_owned()),
            NumberError::OutOfRange | NumberError::Memory => FormatError::Overflow("number too large".to_owned()),
        }
    }
}

/// `format(int, spec)`; `type_name` is `int`, or `bool` for errors.
pub fn integer(value: &Int, text: &str, type_name: &str) -> Result<String, FormatError> {
    let spec = Spec::parse(text, true, Some('d'), type_name)?;
    let kind = spec.kind.unwrap_or('d');
    if matches!(kind, 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') {
        return float_with(integer::to_float(value)?, &spec, type_name);
    }
    if !matches!(kind, 'b' | 'c' | 'd' | 'o' | 'x' | 'X' | 'n') {
        return Err(unknown_kind(kind, type_name));
    }
    if spec.precision.is_some() {
        return Err(FormatError::value("Precision not allowed in integer format specifier"));
    }
    if spec.no_negative_zero {
        return Err(FormatError::value("Negative zero coercion (z) not allowed in integer format specifier"));
    }
    if kind == 'c' {
        return character(value, &spec);
    }
    let (base, prefix) = match kind {
        'b' => (2, "0b"),
        'o' => (8, "0o"),
        'x' => (16, "0x"),
        'X' => (16, "0X"),
        _ => (10, ""),
    };
    let digits = if base == 10 {
        integer::to_decimal(&integer::absolute(value))?
    } else {
        integer::magnitude_in_base(value, base)
    };
    let digits = if kind == 'X' { digits.to_ascii_uppercase() } else { digits };
    let parts = Parts {
        negative: value.is_negative(),
        prefix: if spec.alternate { prefix } else { "" },
        digits,
        rest: String::new(),
    };
    Ok(assemble(&parts, &spec, if base == 10 { 3 } else { 4 }))
}

fn character(value: &Int, spec: &Spec) -> Result<String, FormatError> {
    if spec.sign.is_some() {
        return Err(FormatError::value("Sign not allowed with integer format specifier 'c'"));
    }
    if spec.alternate {
        return Err(FormatError::value("Alternate form (#) not allowed with integer format specifier 'c'"));
    }
    if value.to_i64().is_none() {
        return Err(FormatError::Overflow("Python int too large to convert to C long".to_owned()));
    }
    let character = value
        .to_i64()
        .and_then(|code| u32::try_from(code).ok())
        .and_then(char::from_u32)
        .ok_or_else(|| FormatError::Overflow("%c arg not in range(0x110000)".to_owned()))?;
    Ok(pad(&character.to_string(), spec.width, spec.fill, spec.align.unwrap_or(Align::Right)))
}

/// `format(float, spec)`
pub fn float(value: f64, text: &str) -> Result<String, FormatError> {
    let spec = Spec::parse(text, true, None, "float")?;
    float_with(value, &spec, "float")
}

fn float_with(value: f64, spec: &Spec, type_name: &str) -> Result<String, FormatError> {
    Ok(assemble(&float_parts(value, spec, type_name)?, spec, 3))
}

fn float_parts(value: f64, spec: &Spec, type_name: &str) -> Result<Parts, FormatError> {
    let precision = spec.precision.unwrap_or(6);
    if precision > i32::MAX as usize {
        return Err(FormatError::value("precision too big"));
    }
    let text = match spec.kind {
        None => match spec.precision {
            None => float::convert(value, 'r', 0, spec.alternate, true),
            Some(precision) => float::convert(value, 'g', precision, spec.alternate, true),
        },
        Some('n') => float::convert(value, 'g', precision, spec.alternate, false),
        Some('%') => float::convert(value * 100.0, 'f', precision, spec.alternate, false) + "%",
        Some(kind @ ('e' | 'E' | 'f' | 'F' | 'g' | 'G')) => {
            float::convert(value, kind, precision, spec.alternate, false)
        }
        Some(kind) => return Err(unknown_kind(kind, type_name)),
    };
    let mut negative = value.is_sign_negative() && !value.is_nan();
    if spec.no_negative_zero && negative && is_zero(&text) {
        negative = false;
    }
    let whole = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(whole);
    Ok(Parts { negative, prefix: "", digits: digits.to_owned(), rest: rest.to_owned() })
}

/// Whether a converted number shows only zeros before its exponent.
fn is_zero(text: &str) -> bool {
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    !mantissa.contains(|c: char| c.is_ascii_digit() && c != '0') && mantissa.contains('0')
}

/// `format(complex, spec)`
pub fn complex(real: f64, imaginary: f64, text: &str) -> Result<String, FormatError> {
    let spec = Spec::parse(text, true, None, "complex")?;
    if spec.fill == '0' {
        return Err(FormatError::value("Zero padding is not allowed in complex format specifier"));
    }
    if spec.align == Some(Align::AfterSign) {
        return Err(FormatError::value("'=' alignment flag is not allowed in complex format specifier"));
    }
    if spec.kind == Some('%') {
        return Err(unknown_kind('%', "complex"));
    }
    let bare = Spec { width: 0, fill: ' ', align: None, ..spec.clone() };
    let part = |value: f64, sign: Option<Sign>| -> Result<String, FormatError> {
        let spec = Spec { sign: sign.or(spec.sign), ..bare.clone() };
        let text = assemble(&float_parts(value, &spec, "complex")?, &spec, 3);
        let plain = spec.kind.is_none();
        Ok(if plain { text.strip_suffix(".0").map_or(text.clone(), str::to_owned) } else { text })
    };
    let hides_real = spec.kind.is_none() && real == 0.0 && !real.is_sign_negative();
    let body = if hides_real {
        format!("{}j", part(imaginary, None)?)
    } else {
        let both = format!("{}{}j", part(real, None)?, part(imaginary, Some(Sign::Plus))?);
        if spec.kind.is_none() { format!("({both})") } else { both }
    };
    Ok(pad(&body, spec.width, spec.fill, spec.align.unwrap_or(Align::Right)))
}

/// Sign, prefix, grouped digits and rest, padded to the width. `group` is the distance of separators.
fn assemble(parts: &Parts, spec: &Spec, group: usize) -> String {
    let sign = match (parts.negative, spec.sign) {
        (true, _) => "-",
        (false, Some(Sign::Plus)) => "+",
        (false, Some(Sign::Space)) => " ",
        (false, _) => "",
    };
    let around = sign.len() + parts.prefix.len() + parts.rest.len();
    // Zeros that fill between sign and digits take part in the grouping.
    let zero_filled = spec.fill == '0' && spec.align == Some(Align::AfterSign);
    let least = if zero_filled { spec.width.saturating_sub(around) } else { 0 };
    let digits =
        if parts.digits.is_empty() { String::new() } else { grouped(&parts.digits, spec.grouping, group, least) };
    if spec.align == Some(Align::AfterSign) {
        let missing = spec.width.saturating_sub(around + digits.len());
        let padding: String = std::iter::repeat_n(spec.fill, missing).collect();
        return format!("{sign}{}{padding}{digits}{}", parts.prefix, parts.rest);
    }
    let whole = format!("{sign}{}{digits}{}", parts.prefix, parts.rest);
    pad(&whole, spec.width, spec.fill, spec.align.unwrap_or(Align::Right))
}

/// Digits with separators, zeros in front up to `least` characters in all.
fn grouped(digits: &str, separator: Option<char>, group: usize, least: usize) -> String {
    let Some(separator) = separator else {
        return format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len())));
    };
    let mut reversed = String::new();
    let mut source = digits.bytes().rev();
    let mut left = digits.len();
    let mut least = least as i64;
    loop {
        let length = group.min(left.max(usize::try_from(least).unwrap_or(0)).max(1));
        for _ in 0..length {
            reversed.push(source.next().map_or('0', char::from));
        }
        left = left.saturating_sub(length);
        least -= length as i64;
        if left == 0 && least <= 0 {
            break;
        }
        reversed.push(separator);
        least -= 1;
    }
    reversed.chars().rev().collect()
}

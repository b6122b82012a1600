//! `str % values` and `bytes % values`, as CPython's `unicode_format` does it.

use super::float;
use crate::builtins::number::{Number, float as floats, integer};
use crate::builtins::text;
use crate::int::Int;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;

/// One conversion: `%(key)-05.2f`.
#[derive(Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    kind: char,
    /// Character index of `kind`, for errors.
    position: usize,
}

/// The values still to be converted.
struct Values<'a> {
    items: Vec<Value>,
    next: usize,
    /// The right operand, where it is a mapping.
    mapping: Option<&'a Value>,
    keyed: bool,
}

impl Values<'_> {
    fn take(&mut self, interp: &Interp) -> PyResult<Value> {
        let value = self.items.get(self.next).cloned();
        self.next += 1;
        value.ok_or_else(|| interp.type_error("not enough arguments for format string"))
    }
}

/// `template % values` of strings.
pub fn format_str(interp: &Interp, template: &str, values: &Value) -> PyResult<String> {
    run(interp, template, values, false)
}

/// `template % values` of bytes. The bytes travel as Latin-1 characters.
pub fn format_bytes(interp: &Interp, template: &[u8], values: &Value) -> PyResult<Vec<u8>> {
    let template: String = template.iter().copied().map(char::from).collect();
    let formatted = run(interp, &template, values, true)?;
    // Everything that `run` writes for bytes is Latin-1: `%c` and `%b` check, `%a` is ASCII.
    Ok(formatted.chars().map(|c| u32::from(c) as u8).collect())
}

fn run(interp: &Interp, template: &str, values: &Value, bytes: bool) -> PyResult<String> {
    let items = match interp.plain(values) {
        Value::Tuple(items) => items.to_vec(),
        _ => vec![values.clone()],
    };
    let is_mapping = is_mapping(interp, values);
    let mut values = Values { items, next: 0, mapping: is_mapping.then_some(values), keyed: false };
    let characters: Vec<char> = template.chars().collect();
    let mut result = String::with_capacity(template.len());
    let mut at = 0;
    while at < characters.len() {
        if characters[at] != '%' {
            result.push(characters[at]);
            at += 1;
            continue;
        }
        at += 1;
        let key = read_key(interp, &characters, &mut at)?;
        let keyed = match (key, values.mapping) {
            (Some(key), Some(mapping)) => {
                values.keyed = true;
                let key = if bytes {
                    Value::Bytes(key.chars().map(|c| u32::from(c) as u8).collect())
                } else {
                    Value::str(key)
                };
                Some(interp.get_item(mapping, &key)?)
            }
            (Some(_), None) => return Err(interp.type_error("format requires a mapping")),
            (None, _) => None,
        };
        let conversion = read_conversion(interp, &characters, &mut at, &mut values)?;
        if conversion.kind == '%' {
            result.push('%');
            continue;
        }
        let value = match keyed {
            Some(value) => value,
            None => values.take(interp)?,
        };
        result.push_str(&convert(interp, &conversion, &value, bytes)?);
    }
    if values.next < values.items.len() && !values.keyed && values.mapping.is_none() {
        let kind = if bytes { "bytes" } else { "string" };
        return Err(interp.type_error(format!("not all arguments converted during {kind} formatting")));
    }
    Ok(result)
}

/// What `PyMapping_Check` says, without tuples and strings: lists and arrays count.
fn is_mapping(interp: &Interp, values: &Value) -> bool {
    match values {
        Value::Dict(_) | Value::List(_) | Value::Range(_) => true,
        Value::Instance(instance) => {
            !matches!(&*instance.payload.borrow(), Value::Tuple(_) | Value::Str(_))
                && instance.class.borrow().lookup("__getitem__").is_some()
        }
        Value::Object(_) => interp.type_of(values).lookup("__getitem__").is_some(),
        _ => false,
    }
}

fn read_key(interp: &Interp, characters: &[char], at: &mut usize) -> PyResult<Option<String>> {
    if characters.get(*at) != Some(&'(') {
        return Ok(None);
    }
    *at += 1;
    let start = *at;
    let mut depth = 1usize;
    while let Some(c) = characters.get(*at) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        *at += 1;
        if depth == 0 {
            return Ok(Some(characters[start..*at - 1].iter().collect()));
        }
    }
    Err(interp.value_error("incomplete format key"))
}

fn read_conversion(
    interp: &Interp,
    characters: &[char],
    at: &mut usize,
    values: &mut Values<'_>,
) -> PyResult<Conversion> {
    let mut conversion = Conversion::default();
    while let Some(c) = characters.get(*at) {
        match c {
            '-' => conversion.left = true,
            '+' => conversion.plus = true,
            ' ' => conversion.space = true,
            '#' => conversion.alternate = true,
            '0' => conversion.zero = true,
            _ => break,
        }
        *at += 1;
    }
    if let Some(width) = read_size(interp, characters, at, values, "width too big")? {
        conversion.left |= width < 0;
        conversion.width = width.unsigned_abs() as usize;
    }
    if characters.get(*at) == Some(&'.') {
        *at += 1;
        let precision = read_size(interp, characters, at, values, "precision too big")?;
        conversion.precision = Some(usize::try_from(precision.unwrap_or(0)).unwrap_or(0));
    }
    if matches!(characters.get(*at), Some('h' | 'l' | 'L')) {
        *at += 1;
    }
    let Some(kind) = characters.get(*at) else {
        return Err(interp.value_error("incomplete format"));
    };
    conversion.kind = *kind;
    conversion.position = *at;
    *at += 1;
    interp.charge_bytes(conversion.width.saturating_add(conversion.precision.unwrap_or(0)) as u128)?;
    Ok(conversion)
}

/// Digits, or `*` for the next value; `None` where there is neither.
fn read_size(
    interp: &Interp,
    characters: &[char],
    at: &mut usize,
    values: &mut Values<'_>,
    too_big: &str,
) -> PyResult<Option<i64>> {
    if characters.get(*at) == Some(&'*') {
        *at += 1;
        let value = values.take(interp)?;
        if value.is_unknown() {
            return Ok(None);
        }
        return match Number::of(&value) {
            Some(Number::Int(size)) => size
                .to_i64()
                .filter(|size| size.unsigned_abs() < i32::MAX as u64)
                .map(Some)
                .ok_or_else(|| interp.overflow_error("Python int too large to convert to C int")),
            _ => Err(interp.type_error("* wants int")),
        };
    }
    let start = *at;
    let mut size = 0i64;
    while let Some(digit) = characters.get(*at).and_then(|c| c.to_digit(10)) {
        size = size * 10 + i64::from(digit);
        if size > i64::from(i32::MAX) {
            return Err(interp.value_error(too_big));
        }
        *at += 1;
    }
    Ok((*at > start).then_some(size))
}

fn convert(interp: &Interp, conversion: &Conversion, value: &Value, bytes: bool) -> PyResult<String> {
    let truncate = |text: String| match conversion.precision {
        Some(precision) => text[..text::byte_offset(&text, precision)].to_owned(),
        None => text,
    };
    if value.is_unknown() {
        return Ok(pad(conversion, "", &interp.str(value)?, false));
    }
    let body = match conversion.kind {
        's' | 'b' if bytes => truncate(bytes_text(interp, value)?),
        's' => truncate(interp.str(value)?),
        'r' if !bytes => truncate(interp.repr(value)?),
        'a' | 'r' => truncate(text::to_ascii(&interp.repr(value)?)),
        'c' => character(interp, value, bytes)?,
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' => return whole_number(interp, conversion, value),
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' => return real_number(interp, conversion, value),
        other => {
            return Err(interp.value_error(format!(
                "unsupported format character '{}' (0x{:x}) at index {}",
                if (' '..'\u{80}').contains(&other) { other } else { '?' },
                u32::from(other),
                conversion.position
            )));
        }
    };
    Ok(pad(conversion, "", &body, false))
}

fn bytes_text(interp: &Interp, value: &Value) -> PyResult<String> {
    match interp.plain(value) {
        Value::Bytes(bytes) => Ok(bytes.iter().copied().map(char::from).collect()),
        _ => Err(interp.type_error(format!(
            "%b requires a bytes-like object, or an object that implements __bytes__, not '{}'",
            interp.type_name(value)
        ))),
    }
}

fn character(interp: &Interp, value: &Value, bytes: bool) -> PyResult<String> {
    let limit = if bytes { 0x100 } else { 0x11_0000 };
    match interp.plain(value) {
        Value::Str(text) if !bytes && text::length(&text) == 1 => Ok(text.to_string()),
        Value::Bytes(one) if bytes && one.len() == 1 => Ok(char::from(one[0]).to_string()),
        other => match Number::of(&other) {
            Some(Number::Int(code)) => code
                .to_i64()
                .and_then(|code| u32::try_from(code).ok())
                .filter(|code| *code < limit)
                .and_then(char::from_u32)
                .map(String::from)
                .ok_or_else(|| {
                    interp.overflow_error(if bytes {
                        "%c arg not in range(256)"
                    } else {
                        "%c arg not in range(0x110000)"
                    })
                }),
            _ if bytes => Err(interp.type_error("%c requires an integer in range(256) or a single byte")),
            _ => Err(interp.type_error("%c requires int or char")),
        },
    }
}

fn whole_number(interp: &Interp, conversion: &Conversion, value: &Value) -> PyResult<String> {
    let kind = conversion.kind;
    let decimal = matches!(kind, 'd' | 'i' | 'u');
    let number = match Number::of(&interp.plain(value)) {
        Some(Number::Int(value)) => value,
        Some(Number::Float(value)) if decimal => {
            floats::to_integer_checked(value).map_err(|error| error.raise(interp))?
        }
        _ => match as_integer(interp, value, decimal)? {
            Some(value) => value,
            None => {
                let wanted = if decimal { "a real number" } else { "an integer" };
                let found = interp.type_name(value);
                return Err(interp.type_error(format!("%{kind} format: {wanted} is required, not {found}")));
            }
        },
    };
    let (base, prefix) = match kind {
        'x' => (16, "0x"),
        'X' => (16, "0X"),
        'o' => (8, "0o"),
        _ => (10, ""),
    };
    let mut digits = if base == 10 {
        integer::to_decimal(&integer::absolute(&number)).map_err(|error| error.raise(interp))?
    } else {
        integer::magnitude_in_base(&number, base)
    };
    if kind == 'X' {
        digits.make_ascii_uppercase();
    }
    if let Some(precision) = conversion.precision {
        digits.insert_str(0, &"0".repeat(precision.saturating_sub(digits.len())));
    }
    let prefix = if conversion.alternate { prefix } else { "" };
    let sign = sign(conversion, number.is_negative());
    Ok(pad(conversion, &format!("{sign}{prefix}"), &digits, true))
}

/// An object with `__index__` (or, for `%d`, `__int__`): a NumPy scalar.
fn as_integer(interp: &Interp, value: &Value, decimal: bool) -> PyResult<Option<Int>> {
    match value {
        Value::Object(object) if decimal || object.is_index() => object.as_int(value, interp).transpose(),
        Value::Instance(instance) => {
            let class = instance.class.borrow().clone();
            if class.lookup("__index__").is_some() {
                return interp.to_int(value).map(Some);
            }
            match class.lookup("__int__") {
                Some(_) if decimal => match interp.call_method(value, "__int__", [])? {
                    Value::Int(value) => Ok(Some(value)),
                    _ => Ok(None),
                },
                _ => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

fn real_number(interp: &Interp, conversion: &Conversion, value: &Value) -> PyResult<String> {
    let number = interp.to_f64(value)?;
    let precision = conversion.precision.unwrap_or(6);
    let digits = float::convert(number, conversion.kind, precision, conversion.alternate, false);
    let sign = sign(conversion, number.is_sign_negative() && !number.is_nan());
    Ok(pad(conversion, sign, &digits, true))
}

fn sign(conversion: &Conversion, negative: bool) -> &'static str {
    match conversion {
        _ if negative => "-",
        Conversion { plus: true, .. } => "+",
        Conversion { space: true, .. } => " ",
        _ => "",
    }
}

/// Pads to the width: zeros go between `front` (sign and prefix) and the digits of a number.
fn pad(conversion: &Conversion, front: &str, body: &str, numeric: bool) -> String {
    let missing = conversion.width.saturating_sub(front.len() + text::length(body));
    if conversion.left {
        format!("{front}{body}{}", " ".repeat(missing))
    } else if conversion.zero && numeric {
        format!("{front}{}{body}", "0".repeat(missing))
    } else {
        format!("{}{front}{body}", " ".repeat(missing))
    }
}

//! Formatting: `format()`, `str.format`, `%`, and the text of floats. The pieces that need no interpreter are in
//! [`spec`], [`float`] and [`number`].

pub mod float;
pub mod number;
pub mod percent;
pub mod spec;
pub mod template;

use crate::int::Int;
use crate::interp::Interp;
use crate::raise::{PyResult, Stop};
use crate::value::Value;
use spec::{Align, FormatError, Spec, pad};

impl FormatError {
    /// As a Python exception.
    pub fn raise(self, interp: &Interp) -> Box<Stop> {
        match self {
            FormatError::Value(message) => interp.value_error(message),
            FormatError::Overflow(message) => interp.overflow_error(message),
        }
    }
}

/// Refuses widths and precisions that would ask for more memory than the evaluation may have. Any run of digits in a
/// spec is a width or a precision.
fn charge_spec(interp: &Interp, spec: &str) -> PyResult<()> {
    let widest = spec
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| run.len() > 4)
        .filter_map(|run| run.parse::<u64>().ok())
        .max();
    widest.map_or(Ok(()), |widest| interp.charge_bytes(u128::from(widest)))
}

/// `format(value, spec)` of numbers and strings; TypeError for values whose type has no formatting of its own.
pub fn format(interp: &Interp, value: &Value, spec: &str) -> PyResult<String> {
    if spec.is_empty() {
        return interp.str(value);
    }
    charge_spec(interp, spec)?;
    let formatted = match value {
        Value::Bool(value) => number::integer(&Int::Small(i64::from(*value)), spec, "bool"),
        Value::Int(value) => number::integer(value, spec, "int"),
        Value::Float(value) => number::float(*value, spec),
        Value::Complex(real, imaginary) => number::complex(*real, *imaginary, spec),
        Value::Str(text) => string(text, spec),
        other => {
            let found = interp.type_name(other);
            return Err(interp.type_error(format!("unsupported format string passed to {found}.__format__")));
        }
    };
    formatted.map_err(|error| error.raise(interp))
}

/// `template % values` of strings.
pub fn percent(interp: &Interp, template: &str, values: &Value) -> PyResult<String> {
    percent::format_str(interp, template, values)
}

/// `format(str, spec)`
pub fn string(text: &str, spec: &str) -> Result<String, FormatError> {
    let spec = Spec::parse(spec, false, Some('s'), "str")?;
    if let Some(kind) = spec.kind.filter(|kind| *kind != 's') {
        return Err(FormatError::value(if (' '..'\u{80}').contains(&kind) {
            format!("Unknown format code '{kind}' for object of type 'str'")
        } else {
            format!("Unknown format code '\\x{:x}' for object of type 'str'", u32::from(kind))
        }));
    }
    if let Some(sign) = spec.sign {
        let name = if sign == spec::Sign::Space { "Space" } else { "Sign" };
        return Err(FormatError::value(format!("{name} not allowed in string format specifier")));
    }
    if spec.no_negative_zero {
        return Err(FormatError::value("Negative zero coercion (z) not allowed in string format specifier"));
    }
    if spec.alternate {
        return Err(FormatError::value("Alternate form (#) not allowed in string format specifier"));
    }
    if spec.align == Some(Align::AfterSign) {
        return Err(FormatError::value("'=' alignment not allowed in string format specifier"));
    }
    let kept = match spec.precision {
        Some(precision) => &text[..crate::builtins::text::byte_offset(text, precision)],
        None => text,
    };
    Ok(pad(kept, spec.width, spec.fill, spec.align.unwrap_or(Align::Left)))
}

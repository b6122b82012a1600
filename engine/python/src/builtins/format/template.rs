//! `str.format` and `str.format_map`: replacement fields with attributes, items, conversions and nested specs, refused
//! in the words of CPython's `unicode_format.h`.

use crate::int::Int;
use crate::interp::Interp;
use crate::raise::PyResult;
use crate::value::Value;

/// Where the fields of a template get their values.
pub struct Source<'a> {
    /// `{0}`, `{}`
    pub positional: &'a [Value],
    /// `{name}`: a dict, or any mapping for `format_map`; `None` where names have no values.
    pub named: Option<&'a Value>,
    /// Whether this is `format_map`, where numbers are refused.
    pub map_only: bool,
}

/// Whether fields are numbered by hand or by themselves: they may not mix.
#[derive(Default)]
struct Numbering {
    automatic: Option<bool>,
    next: usize,
}

/// `template.format(...)`
pub fn format(interp: &Interp, template: &str, source: &Source<'_>) -> PyResult<String> {
    expand(interp, template, source, &mut Numbering::default(), 2)
}

fn expand(
    interp: &Interp,
    template: &str,
    source: &Source<'_>,
    numbering: &mut Numbering,
    depth: u32,
) -> PyResult<String> {
    if depth == 0 {
        return Err(interp.value_error("Max string recursion exceeded"));
    }
    let mut result = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        result.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        let after = &rest[at + 1..];
        if after.starts_with(brace) {
            result.push_str(brace);
            rest = &after[1..];
            continue;
        }
        if brace == "}" {
            return Err(interp.value_error("Single '}' encountered in format string"));
        }
        if after.is_empty() {
            return Err(interp.value_error("Single '{' encountered in format string"));
        }
        let (field, remaining) = split_field(interp, after)?;
        result.push_str(&replace(interp, &field, source, numbering, depth)?);
        rest = remaining;
    }
    result.push_str(rest);
    Ok(result)
}

/// One replacement field in pieces.
struct Field<'a> {
    name: &'a str,
    conversion: Option<char>,
    spec: &'a str,
}

/// Takes the field that begins after `{`, and gives what follows its `}`.
fn split_field<'a>(interp: &Interp, text: &'a str) -> PyResult<(Field<'a>, &'a str)> {
    // The name ends at `:`, `!` or `}`; brackets hide all three.
    let mut bracketed = false;
    let end = text.char_indices().find(|(_, c)| match c {
        '{' => true,
        '[' => {
            bracketed = true;
            false
        }
        ']' => {
            bracketed = false;
            false
        }
        '}' | ':' | '!' => !bracketed,
        _ => false,
    });
    let (name_end, stop) = match end {
        None => return Err(interp.value_error("expected '}' before end of string")),
        Some((_, '{')) => return Err(interp.value_error("unexpected '{' in field name")),
        Some(end) => end,
    };
    let name = &text[..name_end];
    let mut after = &text[name_end + 1..];
    if stop == '}' {
        return Ok((Field { name, conversion: None, spec: "" }, after));
    }
    let mut conversion = None;
    if stop == '!' {
        let mut characters = after.chars();
        let Some(c) = characters.next() else {
            return Err(interp.value_error("end of string while looking for conversion specifier"));
        };
        conversion = Some(c);
        after = characters.as_str();
        match characters.next() {
            Some('}') => {
                return Ok((Field { name, conversion, spec: "" }, characters.as_str()));
            }
            Some(':') => after = characters.as_str(),
            None => return Err(interp.value_error("unmatched '{' in format spec")),
            Some(_) if !after.contains('}') || c == '}' => {
                return Err(interp.value_error("unmatched '{' in format spec"));
            }
            Some(_) => return Err(interp.value_error("expected ':' after conversion specifier")),
        }
    }
    let mut nesting = 1usize;
    for (at, c) in after.char_indices() {
        match c {
            '{' => nesting += 1,
            '}' => nesting -= 1,
            _ => {}
        }
        if nesting == 0 {
            return Ok((Field { name, conversion, spec: &after[..at] }, &after[at + 1..]));
        }
    }
    Err(interp.value_error("unmatched '{' in format spec"))
}

fn replace(
    interp: &Interp,
    field: &Field<'_>,
    source: &Source<'_>,
    numbering: &mut Numbering,
    depth: u32,
) -> PyResult<String> {
    let value = lookup(interp, field.name, source, numbering)?;
    let value = match field.conversion {
        None => value,
        Some('r') => Value::from(interp.repr(&value)?),
        Some('s') => Value::from(interp.str(&value)?),
        Some('a') => Value::from(crate::builtins::text::to_ascii(&interp.repr(&value)?)),
        Some(other) => {
            return Err(interp.value_error(format!("Unknown conversion specifier {other}")));
        }
    };
    let spec = if field.spec.contains(['{', '}']) {
        expand(interp, field.spec, source, numbering, depth - 1)?
    } else {
        field.spec.to_owned()
    };
    interp.format(&value, &spec)
}

/// The value of `name`, `0.attribute`, `name[key]`...
fn lookup(interp: &Interp, path: &str, source: &Source<'_>, numbering: &mut Numbering) -> PyResult<Value> {
    let first_end = path.find(['.', '[']).unwrap_or(path.len());
    let mut value = first(interp, &path[..first_end], source, numbering)?;
    let mut rest = &path[first_end..];
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            if end == 0 {
                return Err(interp.value_error("Empty attribute in format string"));
            }
            value = interp.get_attr(&value, &after[..end])?;
            rest = &after[end..];
        } else if let Some(after) = rest.strip_prefix('[') {
            let Some(end) = after.find(']') else {
                return Err(interp.value_error("Missing ']' in format string"));
            };
            if end == 0 {
                return Err(interp.value_error("Empty attribute in format string"));
            }
            value = interp.get_item(&value, &key(interp, &after[..end])?)?;
            rest = &after[end + 1..];
        } else {
            return Err(interp.value_error("Only '.' or '[' may follow ']' in format field specifier"));
        }
    }
    Ok(value)
}

/// Digits are an index, everything else a string key.
fn key(interp: &Interp, text: &str) -> PyResult<Value> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Value::str(text));
    }
    let index: i64 = text.parse().map_err(|_| interp.value_error("Too many decimal digits in format string"))?;
    Ok(Value::Int(Int::Small(index)))
}

fn first(interp: &Interp, name: &str, source: &Source<'_>, numbering: &mut Numbering) -> PyResult<Value> {
    let automatic = name.is_empty();
    if automatic || name.bytes().all(|byte| byte.is_ascii_digit()) {
        if let Some(before) = numbering.automatic.filter(|before| *before != automatic) {
            return Err(interp.value_error(if before {
                "cannot switch from automatic field numbering to manual field specification"
            } else {
                "cannot switch from manual field specification to automatic field numbering"
            }));
        }
        numbering.automatic = Some(automatic);
        let index = if automatic {
            numbering.next += 1;
            numbering.next - 1
        } else {
            name.parse().map_err(|_| interp.value_error("Too many decimal digits in format string"))?
        };
        if source.map_only {
            return Err(interp.value_error("Format string contains positional fields"));
        }
        return source.positional.get(index).cloned().ok_or_else(|| {
            interp.index_error(format!("Replacement index {index} out of range for positional args tuple"))
        });
    }
    match source.named {
        Some(mapping) => interp.get_item(mapping, &Value::str(name)),
        None => Err(interp.key_error(&Value::str(name))),
    }
}

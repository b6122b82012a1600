//! Case, padding and translation of strings.

use crate::builtins::table::{known, this_str};
use crate::builtins::text;
use crate::dict::Dict;
use crate::int::Int;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;

/// Rows from text to text.
macro_rules! mapped {
    ($($name:ident $method:literal $map:expr;)*) => {
        $(pub(super) fn $name(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
            known!(arguments);
            let [this] = arguments.take();
            let text = this_str(interp, &this, $method)?;
            let map: fn(&str) -> String = $map;
            Ok(Value::from(map(&text)))
        })*
    };
}

mapped! {
    lower "lower" str::to_lowercase;
    upper "upper" str::to_uppercase;
    casefold "casefold" fold_case;
    capitalize "capitalize" |text| {
        let mut characters = text.chars();
        characters.next().map(title_character).unwrap_or_default() + &characters.as_str().to_lowercase()
    };
    swap_case "swapcase" |text| {
        let mut swapped = String::with_capacity(text.len());
        for c in text.chars() {
            if c.is_uppercase() {
                swapped.extend(c.to_lowercase());
            } else {
                swapped.extend(c.to_uppercase());
            }
        }
        swapped
    };
    title "title" |text| {
        let mut titled = String::with_capacity(text.len());
        let mut inside = false;
        for c in text.chars() {
            if inside {
                titled.extend(c.to_lowercase());
            } else {
                titled.push_str(&title_character(c));
            }
            inside = text::is_cased(c);
        }
        titled
    };
}

/// The title case of one character. Rust knows upper case only, which differs where one letter becomes several.
fn title_character(c: char) -> String {
    if let Some(digraph) = title_digraph(c) {
        return String::from(digraph);
    }
    let upper: String = c.to_uppercase().collect();
    let mut characters = upper.chars();
    match characters.next() {
        Some(first) if characters.clone().next().is_some() => {
            let mut titled = String::from(first);
            characters.for_each(|c| titled.extend(c.to_lowercase()));
            titled
        }
        _ => upper,
    }
}

/// The four digraphs of category Lt, by any of their cases.
fn title_digraph(c: char) -> Option<char> {
    Some(match c {
        'Ǆ'..='ǆ' => 'ǅ',
        'Ǉ'..='ǉ' => 'ǈ',
        'Ǌ'..='ǌ' => 'ǋ',
        'Ǳ'..='ǳ' => 'ǲ',
        _ => return None,
    })
}

/// Case folding: lower case, but for the letters that have no single lower-case partner.
fn fold_case(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ß' | 'ẞ' => folded.push_str("ss"),
            'ς' => folded.push('σ'),
            'ﬀ'..='ﬆ' => folded.extend(c.to_uppercase().flat_map(char::to_lowercase)),
            c => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
    Both,
}

fn justify(interp: &Interp, arguments: Arguments, method: &str, side: Side) -> PyResult<Value> {
    let [this, width, fill] = arguments.take();
    let text = this_str(interp, &this, method)?;
    let width = interp.to_i64(&width)?;
    let fill = match interp.plain(&fill) {
        Value::Str(fill) => {
            let mut characters = fill.chars();
            match (characters.next(), characters.next()) {
                (Some(fill), None) => fill,
                _ => {
                    return Err(interp.type_error("The fill character must be exactly one character long"));
                }
            }
        }
        other => {
            return Err(interp.type_error(format!(
                "The fill character must be a unicode character, not {}",
                interp.type_name(&other)
            )));
        }
    };
    let length = text::length(&text);
    let width = usize::try_from(width).unwrap_or(0);
    let missing = width.saturating_sub(length);
    interp.charge_bytes(text.len() as u128 + missing as u128 * fill.len_utf8() as u128)?;
    let before = match side {
        Side::Left => missing,
        Side::Right => 0,
        // CPython gives the odd one to the left where the width is odd.
        Side::Both => missing / 2 + (missing & width & 1),
    };
    let padding = |count: usize| std::iter::repeat_n(fill, count);
    Ok(Value::from(padding(before).chain(text.chars()).chain(padding(missing - before)).collect::<String>()))
}

pub(super) fn center(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    justify(interp, arguments, "center", Side::Both)
}

pub(super) fn justify_left(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    justify(interp, arguments, "ljust", Side::Right)
}

pub(super) fn justify_right(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    justify(interp, arguments, "rjust", Side::Left)
}

pub(super) fn zero_fill(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, width] = arguments.take();
    let text = this_str(interp, &this, "zfill")?;
    let width = usize::try_from(interp.to_i64(&width)?).unwrap_or(0);
    let missing = width.saturating_sub(text::length(&text));
    interp.charge_bytes(text.len() as u128 + missing as u128)?;
    let signed = text.starts_with(['+', '-']);
    let (sign, digits) = text.split_at(usize::from(signed));
    Ok(Value::from(format!("{sign}{}{digits}", "0".repeat(missing))))
}

pub(super) fn expand_tabs(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, size] = arguments.take();
    let text = this_str(interp, &this, "expandtabs")?;
    let size = usize::try_from(interp.to_i64(&size)?).unwrap_or(0);
    interp.charge_bytes(text.len() as u128 + text.matches('\t').count() as u128 * size as u128)?;
    let mut expanded = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let spaces = if size == 0 { 0 } else { size - column % size };
                expanded.extend(std::iter::repeat_n(' ', spaces));
                column += spaces;
            }
            c => {
                expanded.push(c);
                column = if matches!(c, '\n' | '\r') { 0 } else { column + 1 };
            }
        }
    }
    Ok(Value::from(expanded))
}

pub(super) fn translate(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, table] = arguments.take();
    let text = this_str(interp, &this, "translate")?;
    let mut translated = String::with_capacity(text.len());
    for c in text.chars() {
        let mapped = match interp.get_item(&table, &Value::from(i64::from(u32::from(c)))) {
            Ok(mapped) => mapped,
            Err(stop) if interp.stop_is(&stop, &interp.types().lookup_error) => {
                translated.push(c);
                continue;
            }
            Err(stop) => return Err(stop),
        };
        match interp.plain(&mapped) {
            Value::None => {}
            Value::Str(mapped) => translated.push_str(&mapped),
            Value::Int(code) => {
                match code.to_i64().and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32) {
                    Some(mapped) => translated.push(mapped),
                    None => {
                        return Err(interp.value_error("character mapping must be in range(0x110000)"));
                    }
                }
            }
            _ => {
                return Err(interp.type_error("character mapping must return integer, None or str"));
            }
        }
        interp.charge(1)?;
    }
    Ok(Value::from(translated))
}

pub(super) fn make_translation(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [from, to, gone] = arguments.take();
    let mut table = Dict::new();
    let code = |c: char| Value::Int(Int::Small(i64::from(u32::from(c))));
    if to.is_unset() {
        let Value::Dict(source) = interp.plain(&from) else {
            return Err(interp.type_error("if you give only one argument to maketrans it must be a dict"));
        };
        let entries: Vec<(Value, Value)> =
            source.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        for (key, value) in entries {
            let key = match &key {
                Value::Str(key) => {
                    let mut characters = key.chars();
                    match (characters.next(), characters.next()) {
                        (Some(c), None) => code(c),
                        _ => {
                            let message = "string keys in translate table must be of length 1";
                            return Err(interp.value_error(message));
                        }
                    }
                }
                Value::Int(_) | Value::Bool(_) => key,
                _ => {
                    return Err(interp.type_error("keys in translate table must be strings or integers"));
                }
            };
            table.insert(interp, key, value)?;
        }
        return Ok(Value::Dict(Rc::new(RefCell::new(table))));
    }
    let (from, to) = match (interp.plain(&from), interp.plain(&to)) {
        (Value::Str(from), Value::Str(to)) => (from, to),
        (Value::Str(_), other) => {
            let found = interp.type_name(&other);
            return Err(interp.type_error(format!("maketrans() argument 2 must be str, not {found}")));
        }
        _ => {
            let message = "first maketrans argument must be a string if there is a second argument";
            return Err(interp.type_error(message));
        }
    };
    if text::length(&from) != text::length(&to) {
        return Err(interp.value_error("the first two maketrans arguments must have equal length"));
    }
    for (from, to) in from.chars().zip(to.chars()) {
        table.insert(interp, code(from), code(to))?;
    }
    if !gone.is_unset() {
        for c in interp.to_str(&gone)?.chars() {
            table.insert(interp, code(c), Value::None)?;
        }
    }
    Ok(Value::Dict(Rc::new(RefCell::new(table))))
}

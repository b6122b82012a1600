//! Splitting, joining and stripping strings.

use crate::builtins::table::{known, this_str};
use crate::builtins::text::{is_line_break, is_space};
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// The pieces of `text` between runs of spaces.
fn split_spaces(text: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        if pieces.len() == most {
            pieces.push(rest);
            break;
        }
        let end = rest.find(is_space).unwrap_or(rest.len());
        pieces.push(&rest[..end]);
        rest = rest[end..].trim_start_matches(is_space);
    }
    pieces
}

fn split_spaces_right(text: &str, most: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_end_matches(is_space);
    while !rest.is_empty() {
        if pieces.len() == most {
            pieces.push(rest);
            break;
        }
        let start = rest.char_indices().rev().find(|(_, c)| is_space(*c)).map_or(0, |(at, c)| at + c.len_utf8());
        pieces.push(&rest[start..]);
        rest = rest[..start].trim_end_matches(is_space);
    }
    pieces.reverse();
    pieces
}

fn split_by(interp: &Interp, arguments: Arguments, method: &'static str, right: bool) -> PyResult<Value> {
    let [this, separator, most] = arguments.take();
    let text = this_str(interp, &this, method)?;
    let most = usize::try_from(interp.to_i64(&most)?).unwrap_or(usize::MAX);
    let pieces: Vec<&str> = match interp.plain(&separator) {
        Value::None if right => split_spaces_right(&text, most),
        Value::None => split_spaces(&text, most),
        Value::Str(separator) => {
            if separator.is_empty() {
                return Err(interp.value_error("empty separator"));
            }
            let most = most.saturating_add(1);
            if right {
                let mut pieces: Vec<&str> = text.rsplitn(most, &*separator).collect();
                pieces.reverse();
                return Ok(strings(pieces));
            }
            return Ok(strings(text.splitn(most, &*separator)));
        }
        _ => {
            return Err(interp.type_error(format!("must be str or None, not {}", interp.type_name(&separator))));
        }
    };
    Ok(strings(pieces))
}

fn strings<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Value {
    Value::list(pieces.into_iter().map(Value::str))
}

pub(super) fn split(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    split_by(interp, arguments, "split", false)
}

pub(super) fn split_right(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    split_by(interp, arguments, "rsplit", true)
}

pub(super) fn split_lines(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, keep_ends] = arguments.take();
    let text = this_str(interp, &this, "splitlines")?;
    let keep_ends = interp.truth(&keep_ends)?;
    let mut lines = Vec::new();
    let mut rest = &*text;
    while !rest.is_empty() {
        let (end, next) = match rest.char_indices().find(|(_, c)| is_line_break(*c)) {
            Some((at, '\r')) if rest[at + 1..].starts_with('\n') => (at, at + 2),
            Some((at, c)) => (at, at + c.len_utf8()),
            None => (rest.len(), rest.len()),
        };
        lines.push(&rest[..if keep_ends { next } else { end }]);
        rest = &rest[next..];
    }
    Ok(strings(lines))
}

fn partition_at(interp: &Interp, arguments: Arguments, last: bool) -> PyResult<Value> {
    let [this, separator] = arguments.take();
    let method = if last { "rpartition" } else { "partition" };
    let text = this_str(interp, &this, method)?;
    let separator = match interp.plain(&separator) {
        Value::Str(separator) => separator,
        _ => {
            return Err(interp.type_error(format!("must be str, not {}", interp.type_name(&separator))));
        }
    };
    if separator.is_empty() {
        return Err(interp.value_error("empty separator"));
    }
    let found = if last { text.rsplit_once(&*separator) } else { text.split_once(&*separator) };
    Ok(match (found, last) {
        (Some((before, after)), _) => Value::tuple([Value::str(before), Value::Str(separator), Value::str(after)]),
        (None, true) => Value::tuple([Value::str(""), Value::str(""), Value::Str(text)]),
        (None, false) => Value::tuple([Value::Str(text), Value::str(""), Value::str("")]),
    })
}

pub(super) fn partition(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    partition_at(interp, arguments, false)
}

pub(super) fn partition_last(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    partition_at(interp, arguments, true)
}

/// Both ends, as asked, without the characters of the argument or without spaces.
fn strip_ends(interp: &Interp, arguments: Arguments, method: &str, left: bool, right: bool) -> PyResult<Value> {
    let [this, characters] = arguments.take();
    let text = this_str(interp, &this, method)?;
    let characters: Option<Rc<str>> = match interp.plain(&characters) {
        Value::None => None,
        Value::Str(characters) => Some(characters),
        _ => return Err(interp.type_error(format!("{method} arg must be None or str"))),
    };
    let goes = |c: char| match &characters {
        Some(characters) => characters.contains(c),
        None => is_space(c),
    };
    let mut kept = &*text;
    if left {
        kept = kept.trim_start_matches(goes);
    }
    if right {
        kept = kept.trim_end_matches(goes);
    }
    Ok(Value::str(kept))
}

pub(super) fn strip(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    strip_ends(interp, arguments, "strip", true, true)
}

pub(super) fn strip_left(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    strip_ends(interp, arguments, "lstrip", true, false)
}

pub(super) fn strip_right(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    strip_ends(interp, arguments, "rstrip", false, true)
}

pub(super) fn join(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, iterable] = arguments.take();
    let separator = this_str(interp, &this, "join")?;
    let items = interp.collect(&iterable).map_err(|stop| {
        let not_iterable = interp.stop_is(&stop, &interp.types().type_error) && !is_iterable(interp, &iterable);
        if not_iterable { interp.type_error("can only join an iterable") } else { stop }
    })?;
    let mut pieces = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        if item.is_unknown() {
            return Ok(item.clone());
        }
        match interp.plain(item) {
            Value::Str(piece) => pieces.push(piece),
            _ => {
                return Err(interp.type_error(format!(
                    "sequence item {position}: expected str instance, {} found",
                    interp.type_name(item)
                )));
            }
        }
    }
    let length: usize = pieces.iter().map(|piece| piece.len() + separator.len()).sum();
    interp.charge_bytes(length as u128)?;
    Ok(Value::from(pieces.join(&*separator)))
}

fn is_iterable(interp: &Interp, v: &Value) -> bool {
    interp.iter(v).is_ok()
}

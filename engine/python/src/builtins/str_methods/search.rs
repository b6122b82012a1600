//! Finding, counting and replacing inside strings.

use crate::builtins::table::{known, text_argument, this_str};
use crate::builtins::text;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::{Slice, Value};
use std::rc::Rc;

/// Positions `start..end` of a sequence of `length`, as `find` reads them; `None` where the window lies outside.
pub(crate) fn window(interp: &Interp, length: usize, start: &Value, end: &Value) -> PyResult<Option<(usize, usize)>> {
    if start.is_none() && end.is_none() {
        return Ok(Some((0, length)));
    }
    let slice = Slice { lower: start.clone(), upper: end.clone(), step: Value::None };
    let positions = interp.slice_positions(&slice, length)?;
    // Fitting moved a start past the end back to it, where even the empty string is not found.
    let outside = match interp.as_index(start)? {
        Some(start) => start.to_i64().map_or(!start.is_negative(), |start| start > length as i64),
        None => false,
    };
    let (start, end) = (positions.start as usize, positions.stop as usize);
    Ok((!outside && start <= end).then_some((start, end)))
}

/// A haystack, a needle, and where to look; `None` where the window lies outside.
pub(crate) type Search<T> = (Rc<T>, Rc<T>, Option<(usize, usize)>);

/// The receiver, the needle and the window as byte offsets.
fn parts(interp: &Interp, arguments: Arguments, method: &str) -> PyResult<Search<str>> {
    let [this, needle, start, end] = arguments.take();
    let text = this_str(interp, &this, method)?;
    let needle = match interp.plain(&needle) {
        Value::Str(needle) => needle,
        _ => {
            return Err(interp.type_error(format!("must be str, not {}", interp.type_name(&needle))));
        }
    };
    let window = window(interp, text::length(&text), &start, &end)?;
    let offsets = window.map(|(start, end)| (text::byte_offset(&text, start), text::byte_offset(&text, end)));
    Ok((text, needle, offsets))
}

fn position(interp: &Interp, arguments: Arguments, method: &str, last: bool) -> PyResult<Option<usize>> {
    let (text, needle, window) = parts(interp, arguments, method)?;
    let Some((start, end)) = window else {
        return Ok(None);
    };
    let within = &text[start..end];
    let found = if last { within.rfind(&*needle) } else { within.find(&*needle) };
    Ok(found.map(|offset| text::character_index(&text, start + offset)))
}

fn or_minus_one(found: Option<usize>) -> Value {
    found.map_or(Value::from(-1i64), Value::from)
}

pub(super) fn find(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    position(interp, arguments, "find", false).map(or_minus_one)
}

pub(super) fn find_last(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    position(interp, arguments, "rfind", true).map(or_minus_one)
}

pub(super) fn index(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let found = position(interp, arguments, "index", false)?;
    found.map(Value::from).ok_or_else(|| interp.value_error("substring not found"))
}

pub(super) fn index_last(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let found = position(interp, arguments, "rindex", true)?;
    found.map(Value::from).ok_or_else(|| interp.value_error("substring not found"))
}

pub(super) fn count(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let (text, needle, window) = parts(interp, arguments, "count")?;
    let Some((start, end)) = window else {
        return Ok(Value::from(0i64));
    };
    Ok(Value::from(text[start..end].matches(&*needle).count()))
}

fn affix(interp: &Interp, arguments: Arguments, method: &str, holds: fn(&str, &str) -> bool) -> PyResult<Value> {
    let [this, affix, start, end] = arguments.take();
    let text = this_str(interp, &this, method)?;
    let window = window(interp, text::length(&text), &start, &end)?;
    let within = window.map(|(start, end)| &text[text::byte_offset(&text, start)..text::byte_offset(&text, end)]);
    let test = |affix: &Value, in_tuple: bool| match interp.plain(affix) {
        Value::Str(affix) => Ok(within.is_some_and(|within| holds(within, &affix))),
        _ if in_tuple => {
            Err(interp.type_error(format!("tuple for {method} must only contain str, not {}", interp.type_name(affix))))
        }
        _ => Err(interp
            .type_error(format!("{method} first arg must be str or a tuple of str, not {}", interp.type_name(affix)))),
    };
    match interp.plain(&affix) {
        Value::Tuple(affixes) => {
            for affix in affixes.iter() {
                if test(affix, true)? {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        affix => test(&affix, false).map(Value::Bool),
    }
}

pub(super) fn starts_with(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    affix(interp, arguments, "startswith", |text, prefix| text.starts_with(prefix))
}

pub(super) fn ends_with(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    affix(interp, arguments, "endswith", |text, suffix| text.ends_with(suffix))
}

pub(super) fn remove_prefix(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, prefix] = arguments.take();
    let text = this_str(interp, &this, "removeprefix")?;
    let prefix = text_argument(interp, &prefix, "removeprefix", "")?;
    Ok(Value::str(text.strip_prefix(&*prefix).unwrap_or(&text)))
}

pub(super) fn remove_suffix(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, suffix] = arguments.take();
    let text = this_str(interp, &this, "removesuffix")?;
    let suffix = text_argument(interp, &suffix, "removesuffix", "")?;
    Ok(Value::str(text.strip_suffix(&*suffix).unwrap_or(&text)))
}

pub(super) fn replace(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, old, new, count] = arguments.take();
    let text = this_str(interp, &this, "replace")?;
    let old = text_argument(interp, &old, "replace", "1 ")?;
    let new = text_argument(interp, &new, "replace", "2 ")?;
    let most = usize::try_from(interp.to_i64(&count)?).unwrap_or(usize::MAX);
    let occurrences = text.matches(&*old).take(most).count();
    interp.charge_bytes(text.len() as u128 + occurrences as u128 * new.len() as u128)?;
    Ok(Value::from(text.replacen(&*old, &new, occurrences)))
}

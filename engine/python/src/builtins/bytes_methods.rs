//! `bytes`: its table and constructor. Methods that only text has a use for (`title`, `center`...) are left to `str`.

use crate::builtins::codec;
use crate::builtins::construct::{Call, finish};
use crate::builtins::format::percent;
use crate::builtins::special as s;
use crate::builtins::str_methods::search::{Search, window};
use crate::builtins::table::{known, rows, this_bytes};
use crate::call::CallArgs;
use crate::class::{Class, NativeClass};
use crate::interp::Interp;
use crate::native::{Arguments, NativeDef};
use crate::raise::PyResult;
use crate::value::Value;
use std::rc::Rc;

/// The table of `bytes`.
pub static CLASS: NativeClass = NativeClass {
    name: "bytes",
    module: "builtins",
    doc: "bytes(iterable_of_ints) -> bytes: an immutable sequence of bytes.",
    methods: METHODS,
    properties: &[],
    construct: Some(construct),
    instance_check: None,
};

static METHODS: &[NativeDef] = rows! {
    "count", "(self, sub, start=None, end=None, /)", "Number of occurrences that do not overlap.", count;
    "decode", "(self, /, encoding='utf-8', errors='strict')", "As text in this encoding.", codec::decode;
    "endswith", "(self, suffix, start=None, end=None, /)", "Whether it ends with this suffix, or one of a tuple.", ends_with;
    "find", "(self, sub, start=None, end=None, /)", "Lowest index of sub, or -1.", find;
    "fromhex", "(cls, string, /)", "The bytes that hexadecimal digits spell.", from_hex;
    "hex", "(self, /, sep=..., bytes_per_sep=1)", "In hexadecimal digits.", to_hex;
    "index", "(self, sub, start=None, end=None, /)", "Lowest index of sub; ValueError where there is none.", index;
    "isalpha", "(self, /)", "Whether all bytes are ASCII letters.", |i, a| every(i, a, |b| b.is_ascii_alphabetic());
    "isalnum", "(self, /)", "Whether all bytes are ASCII letters or digits.", |i, a| every(i, a, |b| b.is_ascii_alphanumeric());
    "isdigit", "(self, /)", "Whether all bytes are ASCII digits.", |i, a| every(i, a, |b| b.is_ascii_digit());
    "isspace", "(self, /)", "Whether all bytes are ASCII spaces.", |i, a| every(i, a, is_space);
    "isascii", "(self, /)", "Whether all bytes are ASCII.", is_ascii;
    "join", "(self, iterable, /)", "The bytes of an iterable, with these between them.", join;
    "lower", "(self, /)", "ASCII letters in lower case.", |i, a| mapped(i, a, |b| b.to_ascii_lowercase());
    "lstrip", "(self, bytes=None, /)", "Without leading spaces, or bytes.", |i, a| strip_ends(i, a, true, false);
    "partition", "(self, sep, /)", "What stands before sep, sep, and what stands after it.", partition;
    "removeprefix", "(self, prefix, /)", "Without this prefix, if it has it.", remove_prefix;
    "removesuffix", "(self, suffix, /)", "Without this suffix, if it has it.", remove_suffix;
    "replace", "(self, old, new, count=-1, /)", "Occurrences of old replaced by new.", replace;
    "rfind", "(self, sub, start=None, end=None, /)", "Highest index of sub, or -1.", find_last;
    "rstrip", "(self, bytes=None, /)", "Without trailing spaces, or bytes.", |i, a| strip_ends(i, a, false, true);
    "split", "(self, /, sep=None, maxsplit=-1)", "Pieces between separators.", split;
    "splitlines", "(self, /, keepends=False)", "Its lines.", split_lines;
    "startswith", "(self, prefix, start=None, end=None, /)", "Whether it starts with this prefix, or one of a tuple.", starts_with;
    "strip", "(self, bytes=None, /)", "Without spaces, or bytes, at both ends.", |i, a| strip_ends(i, a, true, true);
    "upper", "(self, /)", "ASCII letters in upper case.", |i, a| mapped(i, a, |b| b.to_ascii_uppercase());
    "__mod__", "(self, value, /)", "Return self%value.", modulo;
    "__bytes__", "(self, /)", "Itself.", itself;
    s::ADD, s::MUL, s::RMUL, s::LT, s::LE, s::GT, s::GE, s::LEN, s::ITER, s::CONTAINS, s::GETITEM,
};

fn bytes(items: impl Into<Rc<[u8]>>) -> Value {
    Value::Bytes(items.into())
}

/// The bytes of a bytes-like argument. TypeError for others.
pub(crate) fn bytes_of(interp: &Interp, v: &Value) -> PyResult<Rc<[u8]>> {
    match interp.plain(v) {
        Value::Bytes(bytes) => Ok(bytes),
        Value::List(_) | Value::Tuple(_) => from_integers(interp, v),
        _ => Err(interp.type_error(format!("a bytes-like object is required, not '{}'", interp.type_name(v)))),
    }
}

fn bytes_argument(interp: &Interp, v: &Value) -> PyResult<Rc<[u8]>> {
    match interp.plain(v) {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(interp.type_error(format!("a bytes-like object is required, not '{}'", interp.type_name(v)))),
    }
}

fn from_integers(interp: &Interp, v: &Value) -> PyResult<Rc<[u8]>> {
    let mut collected = Vec::new();
    for item in interp.collect(v)? {
        match interp.to_int(&item)?.to_i64().and_then(|byte| u8::try_from(byte).ok()) {
            Some(byte) => collected.push(byte),
            None => return Err(interp.value_error("bytes must be in range(0, 256)")),
        }
    }
    Ok(Rc::from(collected))
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

fn position_in(within: &[u8], needle: &[u8], last: bool) -> Option<usize> {
    if needle.is_empty() {
        return Some(if last { within.len() } else { 0 });
    }
    let mut windows = within.windows(needle.len());
    if last { windows.rposition(|window| window == needle) } else { windows.position(|window| window == needle) }
}

/// The receiver, the needle (a byte may be given as an integer) and the window.
fn parts(interp: &Interp, arguments: Arguments, method: &str) -> PyResult<Search<[u8]>> {
    let [this, needle, start, end] = arguments.take();
    let this = this_bytes(interp, &this, method)?;
    let needle = match interp.plain(&needle) {
        Value::Bytes(needle) => needle,
        Value::Int(byte) => match byte.to_i64().and_then(|byte| u8::try_from(byte).ok()) {
            Some(byte) => Rc::from([byte]),
            None => return Err(interp.value_error("byte must be in range(0, 256)")),
        },
        _ => {
            return Err(interp.type_error(format!(
                "argument should be integer or bytes-like object, not '{}'",
                interp.type_name(&needle)
            )));
        }
    };
    let window = window(interp, this.len(), &start, &end)?;
    Ok((this, needle, window))
}

fn position(interp: &Interp, arguments: Arguments, method: &str, last: bool) -> PyResult<Option<usize>> {
    let (this, needle, window) = parts(interp, arguments, method)?;
    Ok(window.and_then(|(start, end)| position_in(&this[start..end], &needle, last).map(|at| at + start)))
}

fn find(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    Ok(position(interp, arguments, "find", false)?.map_or(Value::from(-1i64), Value::from))
}

fn find_last(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    Ok(position(interp, arguments, "rfind", true)?.map_or(Value::from(-1i64), Value::from))
}

fn index(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let found = position(interp, arguments, "index", false)?;
    found.map(Value::from).ok_or_else(|| interp.value_error("subsection not found"))
}

fn count(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let (this, needle, window) = parts(interp, arguments, "count")?;
    let Some((mut at, end)) = window else {
        return Ok(Value::from(0i64));
    };
    if needle.is_empty() {
        return Ok(Value::from(end - at + 1));
    }
    let mut found = 0usize;
    while let Some(next) = position_in(&this[at..end], &needle, false) {
        found += 1;
        at += next + needle.len();
    }
    Ok(Value::from(found))
}

fn affix(interp: &Interp, arguments: Arguments, method: &str, holds: fn(&[u8], &[u8]) -> bool) -> PyResult<Value> {
    let [this, affix, start, end] = arguments.take();
    let this = this_bytes(interp, &this, method)?;
    let window = window(interp, this.len(), &start, &end)?;
    let affixes = match interp.plain(&affix) {
        Value::Tuple(affixes) => affixes.to_vec(),
        affix => vec![affix],
    };
    for affix in &affixes {
        let Value::Bytes(affix) = interp.plain(affix) else {
            return Err(interp.type_error(format!(
                "{method} first arg must be bytes or a tuple of bytes, not {}",
                interp.type_name(affix)
            )));
        };
        if window.is_some_and(|(start, end)| holds(&this[start..end], &affix)) {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn starts_with(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    affix(interp, arguments, "startswith", |bytes, prefix| bytes.starts_with(prefix))
}

fn ends_with(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    affix(interp, arguments, "endswith", |bytes, suffix| bytes.ends_with(suffix))
}

fn remove_prefix(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, prefix] = arguments.take();
    let (this, prefix) = (this_bytes(interp, &this, "removeprefix")?, bytes_argument(interp, &prefix)?);
    Ok(bytes(this.strip_prefix(&*prefix).unwrap_or(&this)))
}

fn remove_suffix(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, suffix] = arguments.take();
    let (this, suffix) = (this_bytes(interp, &this, "removesuffix")?, bytes_argument(interp, &suffix)?);
    Ok(bytes(this.strip_suffix(&*suffix).unwrap_or(&this)))
}

fn every(interp: &Interp, arguments: Arguments, test: fn(u8) -> bool) -> PyResult<Value> {
    known!(arguments);
    let [this] = arguments.take();
    let this = this_bytes(interp, &this, "isalpha")?;
    Ok(Value::Bool(!this.is_empty() && this.iter().copied().all(test)))
}

fn is_ascii(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this] = arguments.take();
    Ok(Value::Bool(this_bytes(interp, &this, "isascii")?.is_ascii()))
}

fn mapped(interp: &Interp, arguments: Arguments, map: fn(u8) -> u8) -> PyResult<Value> {
    known!(arguments);
    let [this] = arguments.take();
    let this = this_bytes(interp, &this, "lower")?;
    Ok(Value::Bytes(this.iter().copied().map(map).collect()))
}

fn itself(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this] = arguments.take();
    this_bytes(interp, &this, "__bytes__").map(Value::Bytes)
}

fn strip_ends(interp: &Interp, arguments: Arguments, left: bool, right: bool) -> PyResult<Value> {
    known!(arguments);
    let [this, gone] = arguments.take();
    let this = this_bytes(interp, &this, "strip")?;
    let gone = if gone.is_none() { None } else { Some(bytes_argument(interp, &gone)?) };
    let goes = |byte: &u8| match &gone {
        Some(gone) => gone.contains(byte),
        None => is_space(*byte),
    };
    let start = if left { this.iter().position(|byte| !goes(byte)).unwrap_or(this.len()) } else { 0 };
    let end = if right { this.iter().rposition(|byte| !goes(byte)).map_or(start, |at| at + 1) } else { this.len() };
    Ok(bytes(&this[start..end.max(start)]))
}

/// Pieces between occurrences of `separator`, at most `most` splits.
fn pieces<'a>(this: &'a [u8], separator: &[u8], most: usize) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut rest = this;
    while pieces.len() < most
        && let Some(at) = position_in(rest, separator, false)
    {
        pieces.push(&rest[..at]);
        rest = &rest[at + separator.len()..];
    }
    pieces.push(rest);
    pieces
}

fn split(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, separator, most] = arguments.take();
    let this = this_bytes(interp, &this, "split")?;
    let most = usize::try_from(interp.to_i64(&most)?).unwrap_or(usize::MAX);
    if !separator.is_none() {
        let separator = bytes_argument(interp, &separator)?;
        if separator.is_empty() {
            return Err(interp.value_error("empty separator"));
        }
        return Ok(Value::list(pieces(&this, &separator, most).into_iter().map(bytes)));
    }
    let skip = |rest: &mut &[u8]| {
        let start = rest.iter().position(|byte| !is_space(*byte)).unwrap_or(rest.len());
        *rest = &rest[start..];
    };
    let mut words: Vec<Value> = Vec::new();
    let mut rest = &this[..];
    skip(&mut rest);
    while !rest.is_empty() {
        if words.len() == most {
            words.push(bytes(rest));
            break;
        }
        let end = rest.iter().position(|byte| is_space(*byte)).unwrap_or(rest.len());
        words.push(bytes(&rest[..end]));
        rest = &rest[end..];
        skip(&mut rest);
    }
    Ok(Value::list(words))
}

fn split_lines(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, keep_ends] = arguments.take();
    let this = this_bytes(interp, &this, "splitlines")?;
    let keep_ends = interp.truth(&keep_ends)?;
    let mut lines: Vec<Value> = Vec::new();
    let mut rest = &this[..];
    while !rest.is_empty() {
        let (end, next) = match rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(at) if rest[at..].starts_with(b"\r\n") => (at, at + 2),
            Some(at) => (at, at + 1),
            None => (rest.len(), rest.len()),
        };
        lines.push(bytes(&rest[..if keep_ends { next } else { end }]));
        rest = &rest[next..];
    }
    Ok(Value::list(lines))
}

fn partition(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, separator] = arguments.take();
    let (this, separator) = (this_bytes(interp, &this, "partition")?, bytes_argument(interp, &separator)?);
    if separator.is_empty() {
        return Err(interp.value_error("empty separator"));
    }
    Ok(match position_in(&this, &separator, false) {
        Some(at) => Value::tuple([
            bytes(&this[..at]),
            Value::Bytes(Rc::clone(&separator)),
            bytes(&this[at + separator.len()..]),
        ]),
        None => Value::tuple([Value::Bytes(this), bytes([]), bytes([])]),
    })
}

fn join(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, iterable] = arguments.take();
    let separator = this_bytes(interp, &this, "join")?;
    let mut joined = Vec::new();
    for (position, item) in interp.collect(&iterable)?.into_iter().enumerate() {
        let Value::Bytes(item) = interp.plain(&item) else {
            return Err(interp.type_error(format!(
                "sequence item {position}: expected a bytes-like object, {} found",
                interp.type_name(&item)
            )));
        };
        if position > 0 {
            joined.extend_from_slice(&separator);
        }
        interp.charge_bytes((item.len() + separator.len()) as u128)?;
        joined.extend_from_slice(&item);
    }
    Ok(bytes(joined))
}

fn replace(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, old, new, count] = arguments.take();
    let this = this_bytes(interp, &this, "replace")?;
    let (old, new) = (bytes_argument(interp, &old)?, bytes_argument(interp, &new)?);
    let most = usize::try_from(interp.to_i64(&count)?).unwrap_or(usize::MAX);
    let mut replaced = Vec::with_capacity(this.len());
    if old.is_empty() {
        interp.charge_bytes(this.len() as u128 + this.len() as u128 * new.len() as u128)?;
        for (position, byte) in this.iter().enumerate() {
            if position < most {
                replaced.extend_from_slice(&new);
            }
            replaced.push(*byte);
        }
        if this.len() < most {
            replaced.extend_from_slice(&new);
        }
        return Ok(bytes(replaced));
    }
    let pieces = pieces(&this, &old, most);
    interp.charge_bytes(this.len() as u128 + pieces.len() as u128 * new.len() as u128)?;
    Ok(bytes(pieces.join(&*new)))
}

fn to_hex(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [this, separator, group] = arguments.take();
    let this = this_bytes(interp, &this, "hex")?;
    let separator = if separator.is_unset() { Rc::from("") } else { interp.to_str(&separator)? };
    if !separator.is_empty() && (separator.len() != 1) {
        return Err(interp.value_error("sep must be length 1."));
    }
    let group = interp.to_i64(&group)?;
    let size = usize::try_from(group.unsigned_abs()).unwrap_or(usize::MAX);
    let mut text = String::with_capacity(this.len() * 3);
    for (position, byte) in this.iter().enumerate() {
        // Groups are counted from the right for positive sizes.
        let counted = if group >= 0 { this.len() - position } else { position };
        if position > 0 && size > 0 && counted % size == 0 {
            text.push_str(&separator);
        }
        text.push_str(&format!("{byte:02x}"));
    }
    Ok(Value::from(text))
}

fn from_hex(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [_class, text] = arguments.take();
    let text = interp.to_str(&text)?;
    let mut collected = Vec::new();
    let mut characters = text.chars().enumerate().peekable();
    while let Some((position, c)) = characters.next() {
        if c.is_ascii_whitespace() {
            continue;
        }
        let bad = |position: usize| {
            interp.value_error(format!("non-hexadecimal number found in fromhex() arg at position {position}"))
        };
        let high = c.to_digit(16).ok_or_else(|| bad(position))?;
        let low = characters.next().and_then(|(_, c)| c.to_digit(16)).ok_or_else(|| bad(position + 1))?;
        collected.push((high << 4 | low) as u8);
    }
    Ok(bytes(collected))
}

fn modulo(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [this, values] = arguments.take();
    let template = this_bytes(interp, &this, "__mod__")?;
    percent::format_bytes(interp, &template, &values).map(bytes)
}

/// `bytes(count)`, `bytes(iterable)`, `bytes(text, encoding)`
fn construct(interp: &Interp, class: &Rc<Class>, args: CallArgs) -> PyResult<Value> {
    let [source, encoding, errors] = Call::new("bytes", args).bind(interp, ["source", "encoding", "errors"], 0)?;
    let made = |collected: Rc<[u8]>| Ok(finish(class, &interp.types().bytes, Value::Bytes(collected)));
    let Some(source) = source else {
        if encoding.is_some() || errors.is_some() {
            return Err(interp.type_error("encoding without a string argument"));
        }
        return made(Rc::from([]));
    };
    if source.is_unknown() {
        return Ok(source);
    }
    if let Value::Str(text) = interp.plain(&source) {
        let Some(encoding) = encoding else {
            return Err(interp.type_error("string argument without an encoding"));
        };
        let errors = errors.map_or_else(|| Ok(Rc::from("strict")), |errors| interp.to_str(&errors))?;
        return made(Rc::from(codec::encode_text(interp, &text, &interp.to_str(&encoding)?, &errors)?));
    }
    if encoding.is_some() || errors.is_some() {
        return Err(interp.type_error("encoding without a string argument"));
    }
    if let Some(Value::Bytes(converted)) = interp.call_special(&source, "__bytes__", [])? {
        return made(converted);
    }
    match interp.plain(&source) {
        Value::Bytes(same) => made(same),
        Value::Float(_) | Value::None | Value::Complex(..) => {
            Err(interp.type_error(format!("cannot convert '{}' object to bytes", interp.type_name(&source))))
        }
        plain => match interp.as_index(&plain)? {
            Some(count) => {
                let Some(count) = count.to_i64() else {
                    return Err(interp.overflow_error("cannot fit 'int' into an index-sized integer"));
                };
                let count = usize::try_from(count).map_err(|_| interp.value_error("negative count"))?;
                interp.charge_bytes(count as u128)?;
                made(Rc::from(vec![0; count]))
            }
            None => match from_integers(interp, &source) {
                Ok(collected) => made(collected),
                Err(stop) => Err(stop),
            },
        },
    }
}

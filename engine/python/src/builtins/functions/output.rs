//! `print`, `input`, and the functions between values and text.

use crate::builtins::table::known;
use crate::builtins::text;
use crate::interp::Interp;
use crate::native::Arguments;
use crate::raise::PyResult;
use crate::value::Value;

/// `sep` and `end` of `print`: a string, or `None` for the default.
fn option(interp: &Interp, value: &Value, name: &str, default: &str) -> PyResult<String> {
    match interp.plain(value) {
        Value::None => Ok(default.to_owned()),
        Value::Unknown(_) => Ok(default.to_owned()),
        Value::Str(text) => Ok(text.to_string()),
        _ => Err(interp.type_error(format!(
            "{name} must be None or a string, not {}",
            interp.type_name(value)
        ))),
    }
}

pub(super) fn print(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [values, separator, end, file, flush] = arguments.take();
    let separator = option(interp, &separator, "sep", " ")?;
    let end = option(interp, &end, "end", "\n")?;
    let Value::Tuple(values) = values else {
        return Ok(Value::None);
    };
    let mut line = String::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            line.push_str(&separator);
        }
        line.push_str(&interp.str(value)?);
    }
    line.push_str(&end);
    match file {
        Value::Unknown(_) => {}
        Value::None => interp.host().write_stdout(&line),
        file => {
            interp.call_method(&file, "write", [Value::from(line)])?;
            if interp.truth(&flush)? {
                interp.call_method(&file, "flush", [])?;
            }
        }
    }
    Ok(Value::None)
}

pub(super) fn input(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [prompt] = arguments.take();
    let prompt = interp.str(&prompt)?;
    if interp.is_analysis() {
        return Ok(Value::unknown(
            "what input() reads is known only when the program runs",
            Some(interp.span()),
        ));
    }
    if !prompt.is_empty() {
        interp.host().write_stdout(&prompt);
    }
    match interp.host().read_line() {
        Some(line) => Ok(Value::from(line)),
        None => Err(interp.error(&interp.types().eof_error, "EOF when reading a line")),
    }
}

pub(super) fn repr(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [value] = arguments.take();
    interp.repr(&value).map(Value::from)
}

pub(super) fn ascii(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [value] = arguments.take();
    Ok(Value::from(text::to_ascii(&interp.repr(&value)?)))
}

pub(super) fn format(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [value, spec] = arguments.take();
    match interp.plain(&spec) {
        Value::Str(spec) => interp.format(&value, &spec).map(Value::from),
        _ => Err(interp.type_error(format!(
            "format() argument 2 must be str, not {}",
            interp.type_name(&spec)
        ))),
    }
}

pub(super) fn character(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [code] = arguments.take();
    let code = interp.to_int(&code)?;
    let Some(code) = code
        .to_i64()
        .and_then(|code| u32::try_from(code).ok())
        .filter(|code| *code < 0x11_0000)
    else {
        return Err(interp.value_error("chr() arg not in range(0x110000)"));
    };
    match char::from_u32(code) {
        Some(c) => Ok(Value::from(String::from(c))),
        None => Err(interp.value_error(format!(
            "chr() of the lone surrogate {code:#x} is not supported"
        ))),
    }
}

pub(super) fn ordinal(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [value] = arguments.take();
    let length = match interp.plain(&value) {
        Value::Str(text) => {
            let mut characters = text.chars();
            match (characters.next(), characters.next()) {
                (Some(c), None) => return Ok(Value::from(i64::from(u32::from(c)))),
                _ => text::length(&text),
            }
        }
        Value::Bytes(bytes) => match &*bytes {
            [byte] => return Ok(Value::from(i64::from(*byte))),
            bytes => bytes.len(),
        },
        _ => {
            return Err(interp.type_error(format!(
                "ord() expected string of length 1, but {} found",
                interp.type_name(&value)
            )));
        }
    };
    Err(interp.type_error(format!(
        "ord() expected a character, but string of length {length} found"
    )))
}

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
        _ => Err(interp.type_error(format!("{name} must be None or a string, not {}", interp.type_name(value)))),
    }
}

pub(super) fn print(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [values, separator, end, file, flush] = arguments.take();
    let separator = option(interp, &separator, "sep", " ")?;
    let end = option(interp, &end, "end", "\n")?;
    let Value::Tuple(values) = values else {
        return Ok(Value::None);
    };
    let file = match file {
        Value::Unknown(_) => return Ok(Value::None),
        Value::None => crate::library::replaced_stdout(interp),
        file => Some(file),
    };
    let Some(file) = file else { return print_to_host(interp, &values, &separator, &end) };
    let write = |text: String| interp.call_method(&file, "write", [Value::from(text)]);
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            write(separator.clone())?;
        }
        write(interp.str(value)?)?;
    }
    write(end)?;
    if interp.truth(&flush)? {
        interp.call_method(&file, "flush", [])?;
    }
    Ok(Value::None)
}

/// Prints in as few writes as can be told apart from one per piece: what stands before a value whose text is made by
/// the program (which may print, or raise) is written first.
fn print_to_host(interp: &Interp, values: &[Value], separator: &str, end: &str) -> PyResult<Value> {
    let mut line = String::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            line.push_str(separator);
        }
        if matches!(value, Value::Instance(_)) && !line.is_empty() {
            interp.host().write_stdout(&line);
            line.clear();
        }
        match interp.str(value) {
            Ok(text) => line.push_str(&text),
            Err(stop) => {
                interp.host().write_stdout(&line);
                return Err(stop);
            }
        }
    }
    line.push_str(end);
    interp.host().write_stdout(&line);
    Ok(Value::None)
}

pub(super) fn input(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    let [prompt] = arguments.take();
    let prompt = interp.str(&prompt)?;
    if interp.is_analysis() {
        return Ok(Value::unknown("what input() reads is known only when the program runs", Some(interp.span())));
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
        _ => Err(interp.type_error(format!("format() argument 2 must be str, not {}", interp.type_name(&spec)))),
    }
}

pub(super) fn character(interp: &Interp, arguments: Arguments) -> PyResult<Value> {
    known!(arguments);
    let [code] = arguments.take();
    let code = interp.to_int(&code)?;
    if code.to_i64().is_none_or(|code| i32::try_from(code).is_err()) {
        return Err(interp.overflow_error("Python int too large to convert to C int"));
    }
    let Some(code) = code.to_i64().and_then(|code| u32::try_from(code).ok()).filter(|code| *code < 0x11_0000) else {
        return Err(interp.value_error("chr() arg not in range(0x110000)"));
    };
    match char::from_u32(code) {
        Some(c) => Ok(Value::from(String::from(c))),
        None => Err(interp.value_error(format!("chr() of the lone surrogate {code:#x} is not supported"))),
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
            return Err(
                interp.type_error(format!("ord() expected string of length 1, but {} found", interp.type_name(&value)))
            );
        }
    };
    Err(interp.type_error(format!("ord() expected a character, but string of length {length} found")))
}

//! `traceback`: exceptions as text, as Python prints them.

use super::support::row;
use crate::exceptions::Traceback;
use crate::interp::Interp;
use crate::module::ModuleDef;
use crate::native::Arguments;
use crate::raise::{PyResult, TraceEntry};
use crate::value::Value;

pub(super) static MODULE: ModuleDef = ModuleDef {
    name: "traceback",
    doc: "Exceptions as text.",
    functions: &[
        row(
            "format_exc",
            "(limit=None, chain=True)",
            "The exception being handled, as Python prints it.",
            |interp, _| Ok(Value::from(handled(interp))),
        ),
        row(
            "print_exc",
            "(limit=None, file=None, chain=True)",
            "Prints the exception being handled.",
            |interp, args| {
                let text = handled(interp);
                write(interp, args.get(1), &text)
            },
        ),
        row(
            "format_exception",
            "(exc, /, value=..., tb=..., limit=None, chain=True)",
            "The lines of an exception.",
            |interp, args| Ok(lines(&rendered(interp, &args))),
        ),
        row(
            "print_exception",
            "(exc, /, value=..., tb=..., limit=None, file=None, chain=True)",
            "Prints an exception.",
            |interp, args| {
                let text = rendered(interp, &args);
                write(interp, args.get(4), &text)
            },
        ),
        row("format_exception_only", "(exc, /, value=...)", "The last line of an exception.", |interp, args| {
            let exception = exception(&args);
            Ok(Value::list([Value::from(interp.exception_line(&exception) + "\n")]))
        }),
        row("format_tb", "(tb, limit=None)", "The lines of a traceback.", |interp, args| {
            let entries = entries(args.get(0));
            Ok(Value::list(entries.iter().filter_map(|entry| {
                let text = crate::traceback::render_frame(interp, entry)?;
                Some(Value::from(text))
            })))
        }),
        row("extract_tb", "(tb, limit=None)", "The entries of a traceback.", |interp, args| {
            let class = frame_class(interp)?;
            let frames = entries(args.get(0));
            let frames = frames.iter().filter_map(|entry| {
                let (path, line, text) = crate::traceback::place(interp, entry)?;
                let name = Value::from(entry.function.to_string());
                let parts = vec![Value::from(path), Value::from(i64::from(line)), name, Value::from(text)];
                Some(interp.call_values(&class, parts))
            });
            Ok(Value::list(frames.collect::<PyResult<Vec<_>>>()?))
        }),
        row("print_tb", "(tb, limit=None, file=None)", "Prints a traceback.", |_, _| Ok(Value::None)),
        row("print_stack", "(f=None, limit=None, file=None)", "Prints the calls being made.", |interp, args| {
            let text = stack(interp);
            write(interp, args.get(2), &text)
        }),
        row("format_stack", "(f=None, limit=None)", "The calls being made.", |interp, _| Ok(lines(&stack(interp)))),
        row("extract_stack", "(f=None, limit=None)", "The calls being made, as text.", |interp, _| {
            Ok(lines(&stack(interp)))
        }),
    ],
    populate: |_, _| {},
};

/// The entries of a traceback, outermost first.
fn entries(traceback: &Value) -> Vec<TraceEntry> {
    let Some(traceback) = traceback.downcast::<Traceback>() else { return Vec::new() };
    traceback.entries.iter().rev().cloned().collect()
}

/// What an entry is taken apart into: a file, a line number, a function and the line.
fn frame_class(interp: &Interp) -> PyResult<Value> {
    let make = interp.get_attr(&interp.import("collections")?, "namedtuple")?;
    let fields = ["filename", "lineno", "name", "line"].map(Value::from);
    interp.call_values(&make, vec![Value::from("FrameSummary"), Value::list(fields)])
}

fn handled(interp: &Interp) -> String {
    let exception = interp.handled.borrow().last().cloned();
    match exception {
        Some(exception) => crate::traceback::render_exception(interp, &exception),
        None => "NoneType: None\n".to_owned(),
    }
}

/// The exception of `f(exc)` or of the older `f(type, value, tb)`.
fn exception(args: &Arguments) -> Value {
    match args.get(0) {
        Value::Class(_) | Value::None if !args.get(1).is_unset() => args.get(1).clone(),
        exception => exception.clone(),
    }
}

fn rendered(interp: &Interp, args: &Arguments) -> String {
    match exception(args) {
        Value::None => "NoneType: None\n".to_owned(),
        exception => crate::traceback::render_exception(interp, &exception),
    }
}

/// Entries of a traceback begin a new item; their source line belongs to them.
fn lines(text: &str) -> Value {
    let mut items: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        match items.last_mut() {
            Some(last) if line.starts_with("    ") => last.push_str(line),
            _ => items.push(line.to_owned()),
        }
    }
    Value::list(items.into_iter().map(Value::from).collect::<Vec<_>>())
}

fn stack(interp: &Interp) -> String {
    let mut text = String::new();
    for entry in interp.stack() {
        if let Some(source) = interp.source(entry.span.file) {
            let shown = source.shown(entry.span.start);
            text.push_str(&format!("  File \"{}\", line {}, in {}\n", shown.path, shown.at.line, entry.function));
            text.push_str(&format!("    {}\n", source.line(source.line_of(entry.span.start)).trim()));
        }
    }
    text
}

fn write(interp: &Interp, file: &Value, text: &str) -> PyResult<Value> {
    match file {
        Value::None | Value::Unset => super::sys::streams::write_to(interp, "stderr", text)?,
        file => {
            interp.call_method(file, "write", [Value::str(text)])?;
        }
    }
    Ok(Value::None)
}

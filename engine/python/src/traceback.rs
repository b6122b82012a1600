//! Printing of uncaught exceptions, to the letter as CPython 3.11 does: source lines, `^^^^` and `~~^~~` anchors,
//! repeated lines folded, causes and contexts, notes.

mod anchors;

use crate::exceptions::{Traceback, field};
use crate::interp::Interp;
use crate::raise::{Raise, TraceEntry};
use crate::suggestions::same_exception;
use crate::value::Value;
use std::fmt::Write;

/// How often a line is shown before its repetitions are only counted (traceback.c).
const REPEATED: usize = 3;

/// Exceptions in one chain that are printed; chains that long come from cycles.
const LONGEST_CHAIN: usize = 100;

/// What CPython writes to standard error for an uncaught exception.
pub fn render(interp: &Interp, raise: &Raise) -> String {
    let mut text = String::new();
    render_chain(
        interp,
        &raise.exception,
        &raise.traceback,
        &mut Vec::new(),
        &mut text,
    );
    text
}

/// As [`render`] for an exception value with the traceback that it keeps.
pub fn render_exception(interp: &Interp, exception: &Value) -> String {
    let mut text = String::new();
    render_chain(
        interp,
        exception,
        &entries_of(exception),
        &mut Vec::new(),
        &mut text,
    );
    text
}

fn entries_of(exception: &Value) -> Vec<TraceEntry> {
    match field(exception, "__traceback__") {
        Some(value) => value
            .downcast::<Traceback>()
            .map_or_else(Vec::new, |traceback| traceback.entries.clone()),
        None => Vec::new(),
    }
}

fn render_chain(
    interp: &Interp,
    exception: &Value,
    entries: &[TraceEntry],
    seen: &mut Vec<Value>,
    text: &mut String,
) {
    seen.push(exception.clone());
    let cause = field(exception, "__cause__").filter(|cause| !cause.is_none());
    let suppressed = matches!(
        field(exception, "__suppress_context__"),
        Some(Value::Bool(true))
    );
    let context =
        field(exception, "__context__").filter(|context| !context.is_none() && !suppressed);
    let before = match (&cause, &context) {
        (Some(cause), _) => Some((
            cause,
            "The above exception was the direct cause of the following exception:",
        )),
        (None, Some(context)) => Some((
            context,
            "During handling of the above exception, another exception occurred:",
        )),
        _ => None,
    };
    if let Some((earlier, link)) = before
        && seen.len() < LONGEST_CHAIN
        && !seen.iter().any(|known| same_exception(known, earlier))
    {
        render_chain(interp, earlier, &entries_of(earlier), seen, text);
        let _ = write!(text, "\n{link}\n\n");
    }
    render_one(interp, exception, entries, text);
}

fn render_one(interp: &Interp, exception: &Value, entries: &[TraceEntry], text: &mut String) {
    if !entries.is_empty() {
        text.push_str("Traceback (most recent call last):\n");
        render_entries(interp, entries, text);
    }
    if interp.exception_is(exception, &interp.types().syntax_error) {
        render_syntax_error(interp, exception, text);
    }
    let mut line = match field(exception, "msg") {
        Some(message) if interp.exception_is(exception, &interp.types().syntax_error) => {
            let message = interp.str(&message).unwrap_or_default();
            format!("{}: {message}", interp.type_of(exception).name)
        }
        _ => interp.exception_line(exception),
    };
    if let Some(suggestion) = interp.suggestion(exception) {
        let _ = write!(line, ". Did you mean: '{suggestion}'?");
    }
    text.push_str(&line);
    text.push('\n');
    if let Some(notes) = field(exception, "__notes__") {
        for note in interp.collect(&notes).unwrap_or_default() {
            text.push_str(&interp.str(&note).unwrap_or_default());
            text.push('\n');
        }
    }
}

/// The lines of the frames, outermost first.
fn render_entries(interp: &Interp, entries: &[TraceEntry], text: &mut String) {
    let mut last: Option<(u32, u32, &str)> = None;
    let mut count = 0;
    for entry in entries.iter().rev() {
        let line = interp
            .source(entry.span.file)
            .map_or(0, |source| source.line_of(entry.span.start));
        let place = (entry.span.file.0, line, &*entry.function);
        if last != Some(place) {
            repeated(count, text);
            last = Some(place);
            count = 0;
        }
        count += 1;
        if count <= REPEATED {
            render_entry(interp, entry, text);
        }
    }
    repeated(count, text);
}

fn repeated(count: usize, text: &mut String) {
    if count > REPEATED {
        let more = count - REPEATED;
        let plural = if more == 1 { "" } else { "s" };
        let _ = writeln!(text, "  [Previous line repeated {more} more time{plural}]");
    }
}

fn render_entry(interp: &Interp, entry: &TraceEntry, text: &mut String) {
    let Some(source) = interp.source(entry.span.file) else {
        let _ = writeln!(text, "  File \"<unknown>\", in {}", entry.function);
        return;
    };
    let start = source.line_column(entry.span.start);
    let _ = writeln!(
        text,
        "  File \"{}\", line {}, in {}",
        source.path, start.line, entry.function
    );
    let line = source.line(start.line);
    let stripped = line.trim();
    if stripped.is_empty() {
        return;
    }
    let _ = writeln!(text, "    {stripped}");
    if let Some(carets) = anchors::carets(&source, entry.span) {
        let _ = writeln!(text, "    {carets}");
    }
}

/// The place that a SyntaxError names.
fn render_syntax_error(interp: &Interp, exception: &Value, text: &mut String) {
    let (Some(Value::Str(path)), Some(Value::Int(line))) =
        (field(exception, "filename"), field(exception, "lineno"))
    else {
        return;
    };
    let _ = writeln!(text, "  File \"{path}\", line {line}");
    let Some(Value::Str(shown)) = field(exception, "text") else {
        return;
    };
    let stripped = shown.trim();
    let _ = writeln!(text, "    {stripped}");
    let number = |name: &str| match field(exception, name) {
        Some(value) => interp.to_i64(&value).unwrap_or(0),
        None => 0,
    };
    let indent = (shown.chars().count() - shown.trim_start().chars().count()) as i64;
    let (start, mut end) = (number("offset"), number("end_offset"));
    if number("end_lineno") != number("lineno") {
        end = shown.trim_end().chars().count() as i64 + 1;
    }
    let column = (start - 1 - indent).max(0) as usize;
    let length = (end - start).max(1) as usize;
    let _ = writeln!(text, "    {}{}", " ".repeat(column), "^".repeat(length));
}

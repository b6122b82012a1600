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
    let mut printer = Printer::new(interp, true);
    printer.chain(&raise.exception, &raise.traceback);
    printer.text
}

/// What the module `traceback` prints for an exception with the traceback that it keeps: the same without suggestions,
/// which only the interpreter itself makes in 3.11.
pub fn render_exception(interp: &Interp, exception: &Value) -> String {
    let mut printer = Printer::new(interp, false);
    printer.chain(exception, &entries_of(exception));
    printer.text
}

fn entries_of(exception: &Value) -> Vec<TraceEntry> {
    match field(exception, "__traceback__") {
        Some(value) => value.downcast::<Traceback>().map_or_else(Vec::new, |traceback| traceback.entries.clone()),
        None => Vec::new(),
    }
}

struct Printer<'a> {
    interp: &'a Interp,
    suggestions: bool,
    /// The exceptions of the chain, so that a cycle ends.
    seen: Vec<Value>,
    text: String,
}

impl<'a> Printer<'a> {
    fn new(interp: &'a Interp, suggestions: bool) -> Self {
        Printer { interp, suggestions, seen: Vec::new(), text: String::new() }
    }

    /// The exception after those that led to it.
    fn chain(&mut self, exception: &Value, entries: &[TraceEntry]) {
        self.seen.push(exception.clone());
        let cause = field(exception, "__cause__").filter(|cause| !cause.is_none());
        let suppress = field(exception, "__suppress_context__");
        let suppressed = matches!(suppress, Some(Value::Bool(true)));
        let context = field(exception, "__context__").filter(|context| !context.is_none() && !suppressed);
        let before = match (&cause, &context) {
            (Some(cause), _) => Some((cause, "The above exception was the direct cause of the following exception:")),
            (None, Some(context)) => {
                Some((context, "During handling of the above exception, another exception occurred:"))
            }
            _ => None,
        };
        if let Some((earlier, link)) = before
            && self.seen.len() < LONGEST_CHAIN
            && !self.seen.iter().any(|known| same_exception(known, earlier))
        {
            self.chain(earlier, &entries_of(earlier));
            let _ = write!(self.text, "\n{link}\n\n");
        }
        self.one(exception, entries);
    }

    fn one(&mut self, exception: &Value, entries: &[TraceEntry]) {
        let interp = self.interp;
        if !entries.is_empty() {
            self.text.push_str("Traceback (most recent call last):\n");
            render_entries(interp, entries, &mut self.text);
        }
        let is_syntax_error = interp.exception_is(exception, &interp.types().syntax_error);
        if is_syntax_error {
            render_syntax_error(interp, exception, &mut self.text);
        }
        let mut line = match field(exception, "msg").filter(|_| is_syntax_error) {
            Some(message) => {
                let message = interp.str(&message).unwrap_or_default();
                format!("{}: {message}", interp.type_of(exception).name)
            }
            None => interp.exception_line(exception),
        };
        if self.suggestions
            && let Some(suggestion) = interp.suggestion(exception)
        {
            let _ = write!(line, ". Did you mean: '{suggestion}'?");
        }
        self.text.push_str(&line);
        self.text.push('\n');
        if let Some(notes) = field(exception, "__notes__") {
            for note in interp.collect(&notes).unwrap_or_default() {
                self.text.push_str(&interp.str(&note).unwrap_or_default());
                self.text.push('\n');
            }
        }
    }
}

/// The lines of one frame, as `format_tb` gives them; `None` for what the evaluator has in itself.
pub(crate) fn render_frame(interp: &Interp, entry: &TraceEntry) -> Option<String> {
    let mut text = String::new();
    (!interp.is_embedded(entry.span.file)).then(|| render_entry(interp, entry, &mut text))?;
    Some(text)
}

/// The file, the number and the text of the line of a frame; `None` for what the evaluator has in itself.
pub(crate) fn place(interp: &Interp, entry: &TraceEntry) -> Option<(String, u32, String)> {
    let source = interp.source(entry.span.file).filter(|_| !interp.is_embedded(entry.span.file))?;
    let start = anchors::moved_to_attribute(&source, entry.span).start;
    let shown = source.shown(start);
    Some((shown.path.to_string(), shown.at.line, source.line(source.line_of(start)).trim().to_string()))
}

/// The lines of the frames, outermost first.
fn render_entries(interp: &Interp, entries: &[TraceEntry], text: &mut String) {
    let mut last: Option<(u32, u32, &str)> = None;
    let mut count = 0;
    for entry in entries.iter().rev().filter(|entry| !interp.is_embedded(entry.span.file)) {
        let line = interp
            .source(entry.span.file)
            .map_or(0, |source| source.line_of(anchors::moved_to_attribute(&source, entry.span).start));
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
    let span = anchors::moved_to_attribute(&source, entry.span);
    let shown = source.shown(span.start);
    let _ = writeln!(text, "  File \"{}\", line {}, in {}", shown.path, shown.at.line, entry.function);
    let line = source.line(source.line_of(span.start));
    let stripped = line.trim();
    if stripped.is_empty() {
        return;
    }
    let _ = writeln!(text, "    {stripped}");
    if let Some(carets) = anchors::carets(&source, span) {
        let _ = writeln!(text, "    {carets}");
    }
}

/// The place that a SyntaxError names.
fn render_syntax_error(interp: &Interp, exception: &Value, text: &mut String) {
    let (Some(Value::Str(path)), Some(Value::Int(line))) = (field(exception, "filename"), field(exception, "lineno"))
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

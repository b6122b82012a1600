//! NVRTC's log as messages with lines, and the lines of the Pallas source that they come from.

use pallas_simt::LineEntry;
use pallas_syntax::Span;

/// One message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whether it is an error; otherwise a warning.
    pub is_error: bool,
    /// One-based line of the generated source.
    pub line: u32,
    /// The compiler's words.
    pub text: String,
    /// The Pallas source, where the table of lines knows it.
    pub span: Option<Span>,
}

/// The messages in a log about the source called `name`.
pub fn messages(log: &str, name: &str, lines: &[LineEntry]) -> Vec<Message> {
    log.lines().filter_map(|line| message(line, name, lines)).collect()
}

/// `kernel.cu(12): error: identifier "x" is undefined`; warnings have a number: `warning #177-D: ...`.
fn message(line: &str, name: &str, lines: &[LineEntry]) -> Option<Message> {
    let (number, rest) = line.strip_prefix(name)?.strip_prefix('(')?.split_once("): ")?;
    let number: u32 = number.parse().ok()?;
    let (kind, text) = rest.split_once(": ")?;
    let is_error = kind.contains("error");
    if !is_error && !kind.starts_with("warning") {
        return None;
    }
    Some(Message { is_error, line: number, text: text.trim().to_string(), span: span(number, lines) })
}

/// The Pallas source of a generated line: its own entry, or the nearest before it.
fn span(line: u32, lines: &[LineEntry]) -> Option<Span> {
    lines.iter().filter(|entry| entry.line <= line).max_by_key(|entry| entry.line).map(|entry| entry.span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pallas_syntax::FileId;

    const LOG: &str = "\
kernel.cu(1): warning #177-D: variable \"unused\" was declared but never referenced
  int unused;
      ^

Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"

kernel.cu(12): error: identifier \"zz\" is undefined
  zz;
  ^

1 error detected in the compilation of \"kernel.cu\".
";

    #[test]
    fn messages_have_the_line_of_the_pallas_source() {
        let span = |start| Span { file: FileId(0), start, end: start + 1 };
        let lines = [LineEntry { line: 10, span: span(100) }, LineEntry { line: 14, span: span(200) }];
        let found = messages(LOG, "kernel.cu", &lines);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].is_error, found[0].line, found[0].span), (false, 1, None));
        assert_eq!(found[1].text, "identifier \"zz\" is undefined");
        assert_eq!((found[1].is_error, found[1].line, found[1].span), (true, 12, Some(span(100))));
    }
}

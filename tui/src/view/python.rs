//! Colours for Python source: comments, strings, numbers, keywords and decorators, found by a scan of the text. Needs no
//! tree, so that a file with mistakes looks the same as one without.

use pallas_engine::SourceFile;
use ratatui::style::{Color, Modifier, Style};
use std::ops::Range;

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// What a piece of source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Comment,
    String,
    Number,
    Keyword,
    Decorator,
    /// The name after `def` or `class`.
    Definition,
}

impl Class {
    /// ANSI colours, so that they follow the terminal's theme; not blue, which many themes make too dark to read.
    pub(super) fn style(self) -> Style {
        match self {
            Class::Comment => Style::new().add_modifier(Modifier::DIM),
            Class::String => Style::new().fg(Color::Green),
            Class::Number => Style::new().fg(Color::Cyan),
            Class::Keyword => Style::new().fg(Color::Magenta),
            Class::Decorator => Style::new().fg(Color::Yellow),
            Class::Definition => Style::new().add_modifier(Modifier::BOLD),
        }
    }
}

/// The pieces of the lines `from..=to` (one-based) of a source.
pub(super) fn pieces(source: &SourceFile, from: u32, to: u32) -> Vec<(Range<usize>, Class)> {
    let end = source.line_range(to).end;
    let start = source.line_range(from).start;
    let mut pieces = scan(&source.text[..end]);
    pieces.retain(|(range, _)| range.end > start);
    pieces
}

/// Whether a scan from the top is quick; larger files are shown without colours.
pub(super) fn is_worth_it(source: &SourceFile) -> bool {
    source.text.len() < 1 << 18
}

/// Scans from the start, since only that tells what is inside a long string.
fn scan(text: &str) -> Vec<(Range<usize>, Class)> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut at = 0;
    let mut previous = "";
    while at < bytes.len() {
        let byte = bytes[at];
        let rest = &text[at..];
        let start = at;
        let class = match byte {
            b'#' => {
                at += rest.find('\n').unwrap_or(rest.len());
                Some(Class::Comment)
            }
            b'"' | b'\'' => {
                at = string_end(text, at);
                Some(Class::String)
            }
            b'@' if rest[1..].starts_with(|c: char| c.is_alphabetic()) && starts_line(text, at) => {
                at +=
                    rest.find(|c: char| c != '@' && c != '.' && c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
                Some(Class::Decorator)
            }
            b'0'..=b'9' => {
                at += rest.find(|c: char| c != '.' && c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
                Some(Class::Number)
            }
            _ if byte == b'_' || byte >= 0x80 || byte.is_ascii_alphabetic() => {
                let length = rest
                    .find(|c: char| c != '_' && !c.is_alphanumeric())
                    .unwrap_or(rest.len())
                    .max(rest.chars().next().map_or(1, char::len_utf8));
                let word = &rest[..length];
                at += length;
                let prefix = word.len() <= 2 && word.chars().all(|c| "rRbBfFuU".contains(c));
                if prefix && matches!(bytes.get(at), Some(b'"' | b'\'')) {
                    at = string_end(text, at);
                    Some(Class::String)
                } else {
                    let class = if KEYWORDS.binary_search(&word).is_ok() {
                        Some(Class::Keyword)
                    } else if matches!(previous, "def" | "class") {
                        Some(Class::Definition)
                    } else {
                        None
                    };
                    previous = word;
                    class
                }
            }
            _ => {
                at += 1;
                None
            }
        };
        if let Some(class) = class {
            pieces.push((start..at, class));
        }
    }
    pieces
}

fn starts_line(text: &str, at: usize) -> bool {
    text[..at].rsplit('\n').next().is_some_and(|before| before.trim().is_empty())
}

/// One past the end of the string whose quotes begin at `at`; to the end of the line where they are missing.
fn string_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let quote = bytes[at];
    let triple = text[at..].starts_with("\"\"\"") || text[at..].starts_with("'''");
    let mut end = at + if triple { 3 } else { 1 };
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 1,
            b'\n' if !triple => return end,
            byte if byte == quote => {
                if !triple {
                    return end + 1;
                }
                if bytes[end..].starts_with(&[quote; 3]) {
                    return end + 3;
                }
            }
            _ => {}
        }
        end += 1;
    }
    // An escape may have skipped into the middle of a character, or past the end.
    let mut end = end.min(bytes.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(text: &str) -> Vec<(&str, Class)> {
        scan(text).into_iter().map(|(range, class)| (&text[range], class)).collect()
    }

    #[test]
    fn pieces_of_python() {
        assert_eq!(
            classes("@jax.jit\ndef f(x):  # why\n  return x @ 1.5e3 + len(r'a\\'b')"),
            [
                ("@jax.jit", Class::Decorator),
                ("def", Class::Keyword),
                ("f", Class::Definition),
                ("# why", Class::Comment),
                ("return", Class::Keyword),
                ("1.5e3", Class::Number),
                ("r'a\\'b'", Class::String),
            ]
        );
    }

    #[test]
    fn strings_end_where_they_end() {
        assert_eq!(classes("'''a\n'b''' if")[0].0, "'''a\n'b'''");
        assert_eq!(classes("'open\nif")[0].0, "'open");
        assert_eq!(classes("\"\"\"never"), [("\"\"\"never", Class::String)]);
        assert_eq!(classes("'é\\é"), [("'é\\é", Class::String)]);
        assert_eq!(classes("'\\"), [("'\\", Class::String)]);
    }

    #[test]
    fn any_text_is_scanned() {
        for text in ["", "é", "→ x", "\u{0}\"", "f", "@", "1_", "'''", "ünicode = 'ü'"] {
            scan(text);
        }
    }

    #[test]
    fn keywords_are_in_order_for_the_search() {
        assert!(KEYWORDS.is_sorted());
    }
}

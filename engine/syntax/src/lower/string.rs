//! String and bytes literals: prefixes, quotes, escapes, implicit concatenation.

use super::{Kind, Lower, named};
use crate::ast::{Constant, ExprKind, FStringPart};
use crate::document::python_parser;
use crate::token::{mask_format_specs, string_prefix};
use std::sync::Arc;
use tree_sitter::Node;

/// CPython's message for an integer literal with more digits than it converts.
pub(super) fn too_many_digits(digits: usize) -> String {
    format!(
        "Exceeds the limit (4300 digits) for integer string conversion: value has {digits} digits; \
         use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer \
         literals to avoid decimal conversion limits."
    )
}

/// What the prefix and quotes of a literal say.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Opening {
    pub(super) raw: bool,
    pub(super) bytes: bool,
    pub(super) format: bool,
    /// Bytes of prefix and quotes.
    pub(super) length: usize,
    /// Bytes of the closing quotes.
    pub(super) quotes: usize,
}

impl Opening {
    /// Reads the prefix and quotes at the start of `text`.
    pub(super) fn read(text: &str) -> Option<Opening> {
        let prefix = string_prefix(text)?;
        let mut opening = Opening::default();
        for flag in text[..prefix].bytes() {
            match flag.to_ascii_lowercase() {
                b'r' => opening.raw = true,
                b'b' => opening.bytes = true,
                b'f' => opening.format = true,
                b'u' => {}
                _ => return None,
            }
        }
        let quote = &text[prefix..=prefix];
        let triple = text[prefix..].starts_with(&quote.repeat(3));
        opening.quotes = if triple { 3 } else { 1 };
        opening.length = prefix + opening.quotes;
        Some(opening)
    }
}

impl Lower<'_> {
    /// Lowers one literal or several adjacent ones.
    pub(super) fn string(&mut self, node: Node<'_>) -> ExprKind {
        let pieces = if node.called() == "concatenated_string" { named(node) } else { vec![node] };
        let mut parts: Vec<FStringPart> = Vec::new();
        let mut bytes: Vec<u8> = Vec::new();
        let (mut formatted, mut any_bytes, mut any_text) = (false, false, false);
        for piece in pieces {
            let Some(opening) = Opening::read(self.text(piece)) else {
                if !piece.has_error() {
                    let span = self.span(piece);
                    self.error(span, "invalid syntax");
                }
                return ExprKind::Error;
            };
            if piece.called() != "string" {
                return ExprKind::Error;
            }
            formatted |= opening.format;
            any_bytes |= opening.bytes;
            any_text |= !opening.bytes;
            let start = piece.start_byte() + opening.length;
            let end = piece.end_byte().saturating_sub(opening.quotes).max(start);
            if opening.bytes {
                if opening.format {
                    let span = self.span(piece);
                    self.error(span, "invalid syntax");
                    return ExprKind::Error;
                }
                self.bytes_text(start, end, opening, &mut bytes);
            } else if opening.format {
                match mask_format_specs(self.text(piece)) {
                    Some(masked) => self.masked_fstring(&masked, piece, opening, &mut parts),
                    None => self.fstring(piece, start, end, opening, &mut parts),
                }
            } else {
                let text = self.decode(start, end, opening.raw);
                push_text(&mut parts, text);
            }
        }
        if any_bytes && any_text {
            let span = self.span(node);
            self.error(span, "cannot mix bytes and nonbytes literals");
            return ExprKind::Error;
        }
        if any_bytes {
            return ExprKind::Constant(Constant::Bytes(bytes.into()));
        }
        if formatted {
            return ExprKind::FString(parts.into());
        }
        let text = match parts.pop() {
            Some(FStringPart::Literal(text)) => text,
            _ => Arc::from(""),
        };
        ExprKind::Constant(Constant::Str(text))
    }

    /// An f-string read again with its format specs masked; the text is still the file's.
    fn masked_fstring(&mut self, masked: &str, piece: Node<'_>, opening: Opening, parts: &mut Vec<FStringPart>) {
        let tree = python_parser().parse(masked, None);
        let mut node = tree.as_ref().map(|tree| tree.root_node());
        while let Some(inner) = node.filter(|node| node.called() != "string") {
            node = named(inner).first().copied();
        }
        let Some(node) = node else {
            return;
        };
        let outer = self.base;
        self.base = self.base.wrapping_add(piece.start_byte());
        let end = node.end_byte().saturating_sub(opening.quotes);
        self.fstring(node, opening.length, end, opening, parts);
        self.base = outer;
    }

    fn bytes_text(&mut self, start: usize, end: usize, opening: Opening, out: &mut Vec<u8>) {
        let text = self.slice(start, end);
        if !text.is_ascii() {
            let span = self.span_between(start, end);
            self.error(span, "bytes can only contain ASCII literal characters");
        }
        let mut rest = text;
        while let Some(at) = rest.find(['\\', '\r']) {
            out.extend_from_slice(&rest.as_bytes()[..at]);
            rest = &rest[at..];
            if let Some(after) = line_ending(rest) {
                out.push(b'\n');
                rest = after;
                continue;
            }
            if opening.raw {
                out.push(b'\\');
                rest = &rest[1..];
                continue;
            }
            let (escape, length) = read_escape(rest, true);
            match escape {
                // Octal escapes past \377 keep their low byte, as in CPython.
                Escape::Char(value) => out.push(value as u8),
                Escape::Nothing => {}
                Escape::Unknown => out.push(b'\\'),
                Escape::Bad(_) => {
                    let position = text.len() - rest.len();
                    let span = self.span_between(start, end);
                    self.error(span, format!("(value error) invalid \\x escape at position {position}"));
                }
            }
            rest = &rest[length.min(rest.len())..];
        }
        out.extend_from_slice(rest.as_bytes());
    }

    /// The text between two offsets with escapes resolved and line endings made `\n`.
    pub(super) fn decode(&mut self, start: usize, end: usize, raw: bool) -> String {
        let text = self.slice(start, end);
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['\\', '\r']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = line_ending(rest) {
                out.push('\n');
                rest = after;
                continue;
            }
            if raw {
                out.push('\\');
                rest = &rest[1..];
                continue;
            }
            let (escape, length) = read_escape(rest, false);
            match escape {
                Escape::Char(value) => match char::from_u32(value) {
                    Some(c) => out.push(c),
                    None => {
                        let position = text.len() - rest.len();
                        let message = if value > 0x10_ffff {
                            format!(
                                "(unicode error) 'unicodeescape' codec can't decode bytes in position {position}-{}: illegal Unicode character",
                                position + length - 1
                            )
                        } else {
                            "lone surrogates in string literals are not supported".to_string()
                        };
                        let span = self.span_between(start, end);
                        self.error(span, message);
                        out.push(char::REPLACEMENT_CHARACTER);
                    }
                },
                Escape::Nothing => {}
                Escape::Unknown => out.push('\\'),
                Escape::Bad(what) => {
                    let position = text.len() - rest.len();
                    let span = self.span_between(start, end);
                    self.error(
                        span,
                        format!(
                            "(unicode error) 'unicodeescape' codec can't decode bytes in position {position}-{}: {what}",
                            position + length.saturating_sub(1)
                        ),
                    );
                }
            }
            rest = &rest[length.min(rest.len())..];
        }
        out.push_str(rest);
        out
    }
}

/// Appends literal text, joining it with literal text before it; nothing for no text.
pub(super) fn push_text(parts: &mut Vec<FStringPart>, text: String) {
    if text.is_empty() {
        return;
    }
    if let Some(FStringPart::Literal(before)) = parts.last_mut() {
        *before = Arc::from(format!("{before}{text}"));
    } else {
        parts.push(FStringPart::Literal(Arc::from(text)));
    }
}

/// The text after a `\r\n` or `\r` at the start of `text`.
fn line_ending(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\r'))
}

/// What an escape stands for.
enum Escape {
    /// A code point, which may not be a scalar value.
    Char(u32),
    /// A line continuation.
    Nothing,
    /// Not an escape: the backslash stays.
    Unknown,
    /// A malformed one, with the reason.
    Bad(&'static str),
}

/// Reads the escape at the start of `text` (a backslash) and its length in bytes.
fn read_escape(text: &str, bytes: bool) -> (Escape, usize) {
    let Some(letter) = text[1..].chars().next() else {
        return (Escape::Unknown, 1);
    };
    let simple = match letter {
        '\n' => return (Escape::Nothing, 2),
        '\r' => {
            return (Escape::Nothing, if text[1..].starts_with("\r\n") { 3 } else { 2 });
        }
        '\\' => '\\',
        '\'' => '\'',
        '"' => '"',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '0'..='7' => {
            let digits = text[1..].bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let value = u32::from_str_radix(&text[1..=digits], 8).unwrap_or(0);
            return (Escape::Char(value), 1 + digits);
        }
        'x' => return hex_escape(text, 2, "truncated \\xXX escape"),
        'u' if !bytes => return hex_escape(text, 4, "truncated \\uXXXX escape"),
        'U' if !bytes => return hex_escape(text, 8, "truncated \\UXXXXXXXX escape"),
        'N' if !bytes => return named_escape(text),
        _ => return (Escape::Unknown, 1),
    };
    (Escape::Char(simple as u32), 2)
}

fn hex_escape(text: &str, width: usize, truncated: &'static str) -> (Escape, usize) {
    let digits = text[2..].bytes().take(width).take_while(u8::is_ascii_hexdigit).count();
    if digits < width {
        return (Escape::Bad(truncated), 2 + digits);
    }
    let value = u32::from_str_radix(&text[2..2 + width], 16).unwrap_or(0);
    (Escape::Char(value), 2 + width)
}

/// Characters by name: the ones that turn up in kernels and their comments. The Unicode name table is not carried.
const NAMED: &[(&str, char)] = &[
    ("BULLET", '\u{2022}'),
    ("CHECK MARK", '\u{2713}'),
    ("DEGREE SIGN", '\u{b0}'),
    ("EM DASH", '\u{2014}'),
    ("EN DASH", '\u{2013}'),
    ("GREEK SMALL LETTER ALPHA", '\u{3b1}'),
    ("GREEK SMALL LETTER BETA", '\u{3b2}'),
    ("GREEK SMALL LETTER LAMDA", '\u{3bb}'),
    ("GREEK SMALL LETTER MU", '\u{3bc}'),
    ("MICRO SIGN", '\u{b5}'),
    ("MULTIPLICATION SIGN", '\u{d7}'),
    ("NO-BREAK SPACE", '\u{a0}'),
    ("RIGHTWARDS ARROW", '\u{2192}'),
    ("SNOWMAN", '\u{2603}'),
    ("SPACE", ' '),
];

fn named_escape(text: &str) -> (Escape, usize) {
    let name = text[2..].strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(name, _)| name);
    let Some(name) = name else {
        return (Escape::Bad("malformed \\N character escape"), 2);
    };
    let length = 4 + name.len();
    let found = NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    match found {
        Some((_, c)) => (Escape::Char(*c as u32), length),
        None => (Escape::Bad("unknown Unicode character name (only a few names are supported here; use \\u)"), length),
    }
}

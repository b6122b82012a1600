//! Characters as Python's `str` sees them: classes, spaces, printability, case. Methods are in `str_methods`.

mod tables;

use tables::{ALPHABETIC, DECIMAL_ZEROS, DIGITS_NOT_DECIMAL, NUMERIC_NOT_DIGIT, TITLE_CASE, UNPRINTABLE};

fn within(ranges: &[(u32, u32)], c: char) -> bool {
    let code = u32::from(c);
    let after = ranges.partition_point(|(first, _)| *first <= code);
    after > 0 && code <= ranges[after - 1].1
}

/// `str.isspace` of one character; what `strip` and `split` without arguments go by.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `str.isprintable` of one character; `repr` escapes the others.
pub fn is_printable(c: char) -> bool {
    if c.is_ascii() { !c.is_ascii_control() } else { !within(UNPRINTABLE, c) }
}

/// The value of a decimal digit of any script (`str.isdecimal`).
pub fn decimal_value(c: char) -> Option<u32> {
    if c.is_ascii() {
        return c.to_digit(10);
    }
    let code = u32::from(c);
    let after = DECIMAL_ZEROS.partition_point(|zero| *zero <= code);
    let value = code - DECIMAL_ZEROS.get(after.checked_sub(1)?)?;
    (value < 10).then_some(value)
}

/// `str.isdigit` of one character.
pub fn is_digit(c: char) -> bool {
    decimal_value(c).is_some() || within(DIGITS_NOT_DECIMAL, c)
}

/// `str.isnumeric` of one character.
pub fn is_numeric(c: char) -> bool {
    is_digit(c) || within(NUMERIC_NOT_DIGIT, c)
}

/// `str.isalpha` of one character.
pub fn is_alphabetic(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphabetic() } else { within(ALPHABETIC, c) }
}

/// Category Lt: neither upper nor lower case, but cased.
pub fn is_title_case(c: char) -> bool {
    !c.is_ascii() && within(TITLE_CASE, c)
}

/// Whether the character has a case.
pub fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || is_title_case(c)
}

/// Where `str.splitlines` breaks.
pub fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Number of characters.
pub fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// Byte offset of the character at `index`; the end for indices past it.
pub fn byte_offset(text: &str, index: usize) -> usize {
    if text.is_ascii() {
        return index.min(text.len());
    }
    text.char_indices().nth(index).map_or(text.len(), |(offset, _)| offset)
}

/// Index of the character that begins at byte `offset`.
pub fn character_index(text: &str, offset: usize) -> usize {
    length(&text[..offset])
}

/// `repr` of a `str`: single quotes unless the text has some and no double ones.
pub fn quote(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(quote);
    for c in text.chars() {
        match c {
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c == quote => quoted.extend(['\\', c]),
            c if is_printable(c) => quoted.push(c),
            c => escape_into(&mut quoted, c),
        }
    }
    quoted.push(quote);
    quoted
}

/// `\x..`, `\u....` or `\U........`
pub fn escape_into(target: &mut String, c: char) {
    let code = u32::from(c);
    target.push_str(&match code {
        0..=0xff => format!("\\x{code:02x}"),
        0x100..=0xffff => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    });
}

/// `ascii(...)` of a text that is a `repr` already.
pub fn to_ascii(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() { escaped.push(c) } else { escape_into(&mut escaped, c) }
    }
    escaped
}

/// `repr` of `bytes`.
pub fn quote_bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    let mut quoted = String::with_capacity(bytes.len() + 3);
    quoted.extend(['b', quote]);
    for &byte in bytes {
        match byte {
            b'\\' => quoted.push_str("\\\\"),
            b'\n' => quoted.push_str("\\n"),
            b'\r' => quoted.push_str("\\r"),
            b'\t' => quoted.push_str("\\t"),
            byte if char::from(byte) == quote => quoted.extend(['\\', quote]),
            0x20..=0x7e => quoted.push(char::from(byte)),
            byte => quoted.push_str(&format!("\\x{byte:02x}")),
        }
    }
    quoted.push(quote);
    quoted
}

//! Words, numbers, strings and punctuation (PTX ISA 4.2 to 4.5). Comments are left out.

use super::{Wrong, wrong};

/// What a text consists of.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// An identifier, a directive, an instruction with all of its modifiers.
    Word(String),
    Int(u64),
    F32(u32),
    F64(u64),
    Text(Vec<u8>),
    Sign(char),
}

/// A token and its line.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) token: Token,
    pub(crate) line: u32,
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

/// Cuts a text.
pub(crate) fn tokens(text: &str) -> Result<Vec<Placed>, Wrong> {
    let bytes = text.as_bytes();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    while at < bytes.len() {
        let rest = &bytes[at..];
        let begin = line;
        let token = match rest[0] {
            b'\n' => {
                line += 1;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                let end = text[at..].find("*/").map_or(rest.len(), |end| end + 2);
                line += rest[..end].iter().filter(|&&byte| byte == b'\n').count() as u32;
                at += end;
                continue;
            }
            b'"' => {
                let end = rest[1..].iter().position(|&byte| byte == b'"');
                let Some(end) = end else { return wrong(line, "a string without an end") };
                at += end + 2;
                Token::Text(rest[1..=end].to_vec())
            }
            byte if byte.is_ascii_digit() => {
                let length = rest.iter().position(|&byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
                at += length;
                number(&text[at - length..at]).ok_or_else(|| Wrong {
                    line,
                    what: format!("`{}` is no number that is known here", &text[at - length..at]),
                })?
            }
            byte if in_word(byte) => {
                let mut length = 0;
                while length < rest.len() && (in_word(rest[length]) || rest[length..].starts_with(b"::")) {
                    length += if rest[length] == b':' { 2 } else { 1 };
                }
                at += length;
                Token::Word(text[at - length..at].to_string())
            }
            byte => {
                at += 1;
                Token::Sign(char::from(byte))
            }
        };
        found.push(Placed { token, line: begin });
    }
    Ok(found)
}

/// A number (PTX ISA 4.5): `31`, `0x1F`, `0f3F800000`, `0d3FF0000000000000`.
fn number(text: &str) -> Option<Token> {
    let lower = text.to_ascii_lowercase();
    let digits = lower.trim_end_matches('u');
    match digits.get(..2) {
        Some("0f") => u32::from_str_radix(&digits[2..], 16).ok().map(Token::F32),
        Some("0d") => u64::from_str_radix(&digits[2..], 16).ok().map(Token::F64),
        Some("0x") => u64::from_str_radix(&digits[2..], 16).ok().map(Token::Int),
        Some("0b") => u64::from_str_radix(&digits[2..], 2).ok().map(Token::Int),
        _ => digits.parse().ok().map(Token::Int),
    }
}

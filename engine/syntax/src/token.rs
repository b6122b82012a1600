//! A small lexer for what the grammar does not tell: where tokens, strings and brackets lie in a piece of text.
//! Decides nothing about meaning; numbers are only delimited.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// An identifier or keyword.
    Name,
    Number,
    /// A string with its prefix and quotes.
    String,
    /// A string whose closing quotes are missing; `true` where they are three.
    Unterminated(bool),
    Operator,
    /// A character that Python has no use for.
    Unknown,
}

/// A token's kind and bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    /// The token as written.
    pub(crate) fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start..self.end).unwrap_or("")
    }

    /// Whether a value can end with this token.
    pub(crate) fn ends_operand(&self, text: &str) -> bool {
        match self.kind {
            TokenKind::Name => !is_keyword(self.text(text)) || is_value_keyword(self.text(text)),
            TokenKind::Operator => matches!(self.text(text), ")" | "]" | "}" | "..."),
            TokenKind::Number | TokenKind::String | TokenKind::Unterminated(_) => true,
            TokenKind::Unknown => false,
        }
    }

    /// Whether a value begins with this token, and with no operator that could also join two.
    pub(crate) fn starts_operand(&self, text: &str) -> bool {
        match self.kind {
            TokenKind::Name => !is_keyword(self.text(text)) || is_value_keyword(self.text(text)),
            TokenKind::Number | TokenKind::String | TokenKind::Unterminated(_) => true,
            TokenKind::Operator | TokenKind::Unknown => false,
        }
    }
}

/// Python's hard keywords.
pub(crate) const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Whether a name is a hard keyword.
pub fn is_keyword(name: &str) -> bool {
    KEYWORDS.binary_search(&name).is_ok()
}

fn is_value_keyword(name: &str) -> bool {
    matches!(name, "None" | "True" | "False")
}

/// Operators of more than one character, longest first.
const OPERATORS: &[&str] = &[
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "@=", ":=",
];

/// The token that starts at `at`, which must be neither a space nor a comment. Always at least one character long.
pub(crate) fn token(text: &str, at: usize) -> Token {
    let rest = &text[at..];
    let made = |kind, length: usize| Token { kind, start: at, end: at + length };
    let Some(first) = rest.chars().next() else {
        return made(TokenKind::Unknown, 0);
    };
    if let Some(prefix) = string_prefix(rest) {
        let (end, closed, triple) = string(text, at, prefix);
        let kind = if closed { TokenKind::String } else { TokenKind::Unterminated(triple) };
        return made(kind, end - at);
    }
    let second_is_digit = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || (first == '.' && second_is_digit) {
        return made(TokenKind::Number, number(rest));
    }
    if first == '_' || first.is_alphabetic() {
        let length = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
        return made(TokenKind::Name, length);
    }
    // Most operators are brackets, commas and colons: one character that begins no longer one.
    let is_longer = rest.as_bytes().get(1).is_some_and(|second| b"*/><=.".contains(second));
    if is_longer && let Some(operator) = OPERATORS.iter().find(|o| rest.starts_with(**o)) {
        return made(TokenKind::Operator, operator.len());
    }
    let kind = if "+-*/%@&|^~<>()[]{},:.;=".contains(first) { TokenKind::Operator } else { TokenKind::Unknown };
    made(kind, first.len_utf8())
}

/// All tokens of a logical line, comments and line joins left out.
pub(crate) fn tokens(text: &str, start: usize, end: usize) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = start;
    while let Some(next) = skip_trivia(text, at, end) {
        let mut token = token(text, next);
        token.end = token.end.min(end).max(next + 1);
        at = token.end;
        tokens.push(token);
    }
    tokens
}

/// The next offset before `end` that is not blank, comment or line join.
pub(crate) fn skip_trivia(text: &str, mut at: usize, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    while at < end {
        match bytes[at] {
            b' ' | b'\t' | b'\x0c' | b'\n' | b'\r' => at += 1,
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => at += 2,
            b'#' => at = text[at..end].find('\n').map_or(end, |newline| at + newline),
            _ => return Some(at),
        }
    }
    None
}

/// Length of the number at the start of `rest`, with whatever letters are stuck to it.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let hex = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let exponent_sign = matches!(byte, b'+' | b'-')
            && !hex
            && at > 0
            && matches!(bytes[at - 1], b'e' | b'E')
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if byte.is_ascii_digit() || byte == b'_' || byte == b'.' || exponent_sign {
            at += 1;
        } else if byte.is_ascii_alphabetic() {
            // `1if x else y` is legal: stop before a keyword.
            let word = &rest[at..];
            let length = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
            if !hex && is_keyword(&word[..length]) {
                break;
            }
            at += 1;
        } else {
            break;
        }
    }
    at.max(1)
}

/// Length of the prefix (possibly none) before the quote that `rest` starts a string with.
pub(crate) fn string_prefix(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let length = bytes.iter().take(3).take_while(|b| b.is_ascii_alphabetic()).count();
    if !matches!(bytes.get(length), Some(b'"' | b'\'')) {
        return None;
    }
    const PREFIXES: &[&str] = &["", "r", "b", "f", "u", "br", "rb", "fr", "rf"];
    PREFIXES.iter().any(|prefix| prefix.eq_ignore_ascii_case(&rest[..length])).then_some(length)
}

/// Where the string at `at` ends, whether it is closed, and whether its quotes are three.
/// An unclosed one ends at its line's end; a triple-quoted one at the text's.
fn string(text: &str, at: usize, prefix: usize) -> (usize, bool, bool) {
    let quote = text.as_bytes()[at + prefix];
    let triple = text.as_bytes()[at + prefix..].starts_with(&[quote; 3]);
    let body = at + prefix + if triple { 3 } else { 1 };
    let formatted = text[at..at + prefix].contains(['f', 'F']);
    let mut equals = Vec::new();
    if formatted && let Some(end) = formatted_body(text, body, quote, triple, 0, &mut equals) {
        return (end, true, triple);
    }
    match plain_body(text, body, quote, triple) {
        Ok(end) => (end, true, triple),
        Err(end) => (end, false, triple),
    }
}

/// `{x:=10}` in an f-string pads with a format spec, where the grammar sees a walrus: a string with such specs, made to
/// start with another alignment. `None` where there is none.
pub(crate) fn mask_format_specs(literal: &str) -> Option<String> {
    let prefix = string_prefix(literal)?;
    if !literal[..prefix].contains(['f', 'F']) || !literal.contains(":=") {
        return None;
    }
    let quote = literal.as_bytes()[prefix];
    let triple = literal.as_bytes()[prefix..].starts_with(&[quote; 3]);
    let body = prefix + if triple { 3 } else { 1 };
    let mut equals = Vec::new();
    formatted_body(literal, body, quote, triple, 0, &mut equals)?;
    let mut masked = literal.to_string();
    for &at in &equals {
        masked.replace_range(at..=at, "<");
    }
    (!equals.is_empty()).then_some(masked)
}

fn closes(bytes: &[u8], at: usize, quote: u8, triple: bool) -> bool {
    if triple { bytes[at..].starts_with(&[quote; 3]) } else { bytes[at] == quote }
}

fn plain_body(text: &str, mut at: usize, quote: u8, triple: bool) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += if bytes[at + 1..].starts_with(b"\r\n") { 3 } else { 2 },
            b'\n' | b'\r' if !triple => return Err(at),
            _ if closes(bytes, at, quote, triple) => return Ok(at + if triple { 3 } else { 1 }),
            _ => at += 1,
        }
    }
    Err(bytes.len())
}

/// How deep f-strings may stand in fields of f-strings; CPython allows 150 levels of fields.
const MAX_NESTED: usize = 20;

/// The end of an f-string's body, with whole strings allowed inside its fields (PEP 701), or `None` where that reading
/// does not come out. Notes in `equals` where a format spec starts with `=`.
fn formatted_body(
    text: &str,
    mut at: usize,
    quote: u8,
    triple: bool,
    nested: usize,
    equals: &mut Vec<usize>,
) -> Option<usize> {
    let bytes = text.as_bytes();
    if nested > MAX_NESTED {
        return None;
    }
    // Brackets open inside the current field; empty outside fields. A colon at depth one starts the format spec.
    let mut depth: usize = 0;
    // For each open field: bracket depth, and whether its format spec was reached.
    let mut fields: Vec<(usize, bool)> = Vec::new();
    while at < bytes.len() {
        let in_text = fields.last().is_none_or(|(_, spec)| *spec);
        let byte = bytes[at];
        if in_text {
            match byte {
                b'\\' => {
                    // `\N{...}` is no field; `\{` is one, after a backslash.
                    if bytes[at + 1..].starts_with(b"N{") {
                        at += text[at..].find('}')? + 1;
                    } else if matches!(bytes.get(at + 1), Some(b'{' | b'}')) {
                        at += 1;
                    } else {
                        at += 2;
                    }
                    continue;
                }
                b'{' if bytes.get(at + 1) == Some(&b'{') && fields.is_empty() => at += 1,
                b'{' => {
                    fields.push((depth, false));
                    depth = 0;
                }
                b'}' => depth = fields.pop().map_or(depth, |(outer, _)| outer),
                b'\n' if !triple => return None,
                _ if closes(bytes, at, quote, triple) => {
                    return fields.is_empty().then_some(at + if triple { 3 } else { 1 });
                }
                _ => {}
            }
            at += 1;
            continue;
        }
        if let Some(prefix) = string_prefix(text.get(at..).unwrap_or("")) {
            let inner_quote = bytes[at + prefix];
            let inner_triple = bytes[at + prefix..].starts_with(&[inner_quote; 3]);
            let body = at + prefix + if inner_triple { 3 } else { 1 };
            let formatted = text[at..at + prefix].contains(['f', 'F']);
            at = if formatted {
                formatted_body(text, body, inner_quote, inner_triple, nested + 1, equals)?
            } else {
                plain_body(text, body, inner_quote, inner_triple).ok()?
            };
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' => depth = depth.checked_sub(1)?,
            b'}' if depth == 0 => depth = fields.pop().map_or(0, |(outer, _)| outer),
            b'}' => depth -= 1,
            b':' if depth == 0 => {
                if let Some((_, spec)) = fields.last_mut() {
                    *spec = true;
                    equals.extend((bytes.get(at + 1) == Some(&b'=')).then_some(at + 1));
                }
            }
            b'!' if depth == 0 && bytes.get(at + 1) == Some(&b'=') => at += 1,
            b'\\' | b'#' if !triple => return None,
            _ => {}
        }
        at += 1;
        // Identifiers are stepped over whole, so that their letters are not taken for string prefixes.
        if byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80 {
            while at < bytes.len() && (bytes[at] == b'_' || bytes[at].is_ascii_alphanumeric() || bytes[at] >= 0x80) {
                at += 1;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{KEYWORDS, TokenKind, tokens};

    fn texts(text: &str) -> Vec<&str> {
        tokens(text, 0, text.len()).iter().map(|token| token.text(text)).collect()
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn tokens_of_a_line() {
        assert_eq!(
            texts("x[1:-2]**=0x1F if 1.5e-3else rb'a\\'' # c"),
            ["x", "[", "1", ":", "-", "2", "]", "**=", "0x1F", "if", "1.5e-3", "else", "rb'a\\''"]
        );
    }

    #[test]
    fn strings_inside_fields() {
        assert_eq!(texts("f'{a['b']}' c"), ["f'{a['b']}'", "c"]);
        assert_eq!(texts("f'{{' + '}'"), ["f'{{'", "+", "'}'"]);
        assert_eq!(texts("f'{x:{w}.{p}}' 1"), ["f'{x:{w}.{p}}'", "1"]);
        assert_eq!(texts("f'{f'{1}'}' 1"), ["f'{f'{1}'}'", "1"]);
        assert_eq!(texts("f'{x!r:>{10}}' 1"), ["f'{x!r:>{10}}'", "1"]);
    }

    #[test]
    fn unclosed_strings_end_with_their_line() {
        let text = "x = 'abc\ny";
        let found = tokens(text, 0, text.len());
        assert_eq!(found[2].kind, TokenKind::Unterminated(false));
        assert_eq!(found[2].text(text), "'abc");
        assert_eq!(found[3].text(text), "y");
    }
}

//! Words of the text form, with their places.

use super::words::ParseError;

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// `%name`
    Value(String),
    /// `@name` or `@"any text"`
    Symbol(String),
    /// A keyword, op name, attribute name or dtype.
    Word(String),
    /// An integer.
    Int(i128),
    /// A float; has a point, an exponent, or is `inf` or `nan`.
    Float(f64),
    /// A quoted text, unescaped.
    Text(String),
    /// One of `( ) [ ] { } < > , : = *`.
    Mark(char),
    /// `->`
    Arrow,
    /// Nothing follows.
    End,
}

impl Token {
    /// As shown in messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Token::Value(name) => format!("`%{name}`"),
            Token::Symbol(name) => format!("`@{name}`"),
            Token::Word(word) => format!("`{word}`"),
            Token::Int(value) => format!("`{value}`"),
            Token::Float(value) => format!("`{value:?}`"),
            Token::Text(text) => format!("{text:?}"),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::Arrow => "`->`".into(),
            Token::End => "the end of the text".into(),
        }
    }
}

/// A word and where it begins, as a byte offset.
pub(super) type Placed = (Token, usize);

/// Splits a text into words.
pub(super) fn lex(text: &str) -> Result<Vec<Placed>, ParseError> {
    let mut lexer = Lexer { text, offset: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.offset;
        let token = lexer.token()?;
        let done = token == Token::End;
        tokens.push((token, start));
        if done {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    offset: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        let taken = rest[..end].to_owned();
        self.offset += end;
        taken
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }

    fn error(&self, offset: usize, message: impl Into<String>) -> ParseError {
        ParseError::at(self.text, offset, message)
    }

    fn token(&mut self) -> Result<Token, ParseError> {
        let start = self.offset;
        let Some(first) = self.peek() else {
            return Ok(Token::End);
        };
        match first {
            '%' | '@' => {
                self.offset += 1;
                let name = match self.peek() {
                    Some('"') if first == '@' => self.text_literal()?,
                    _ => self.take_while(is_name),
                };
                if name.is_empty() && self.text.as_bytes().get(self.offset - 1) != Some(&b'"') {
                    return Err(self.error(start, format!("expected a name after `{first}`")));
                }
                Ok(match first {
                    '%' => Token::Value(name),
                    _ => Token::Symbol(name),
                })
            }
            '"' => Ok(Token::Text(self.text_literal()?)),
            '-' if self.rest().starts_with("->") => {
                self.offset += 2;
                Ok(Token::Arrow)
            }
            '-' | '0'..='9' => self.number(),
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ':' | '=' | '*' => {
                self.offset += 1;
                Ok(Token::Mark(first))
            }
            _ if first.is_alphabetic() || first == '_' => {
                let word = self.take_while(is_name);
                Ok(match word.as_str() {
                    "inf" => Token::Float(f64::INFINITY),
                    "nan" => Token::Float(f64::NAN),
                    _ => Token::Word(word),
                })
            }
            _ => Err(self.error(start, format!("no word begins with {first:?}"))),
        }
    }

    fn number(&mut self) -> Result<Token, ParseError> {
        let start = self.offset;
        let negative = self.peek() == Some('-');
        if negative {
            self.offset += 1;
        }
        if negative && self.peek().is_some_and(char::is_alphabetic) {
            let word = self.take_while(is_name);
            return match word.as_str() {
                "inf" => Ok(Token::Float(f64::NEG_INFINITY)),
                "nan" => Ok(Token::Float(-f64::NAN)),
                _ => Err(self.error(start, "expected a number after `-`")),
            };
        }
        self.take_while(|c| c.is_ascii_digit());
        let mut is_float = false;
        if self.peek() == Some('.') {
            is_float = true;
            self.offset += 1;
            self.take_while(|c| c.is_ascii_digit());
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            is_float = true;
            self.offset += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.offset += 1;
            }
            self.take_while(|c| c.is_ascii_digit());
        }
        let word = &self.text[start..self.offset];
        let parsed = if is_float { word.parse().ok().map(Token::Float) } else { word.parse().ok().map(Token::Int) };
        parsed.ok_or_else(|| self.error(start, format!("`{word}` is not a number")))
    }

    fn text_literal(&mut self) -> Result<String, ParseError> {
        let start = self.offset;
        self.offset += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else {
                return Err(self.error(start, "the text that begins here is not closed"));
            };
            self.offset += c.len_utf8();
            match c {
                '"' => return Ok(text),
                '\\' => {
                    let escape = self.peek();
                    self.offset += escape.map_or(0, char::len_utf8);
                    text.push(match escape {
                        Some('n') => '\n',
                        Some('t') => '\t',
                        Some('r') => '\r',
                        Some('0') => '\0',
                        Some(c @ ('"' | '\\' | '\'')) => c,
                        Some('u') => self.unicode(start)?,
                        _ => return Err(self.error(start, "unknown escape in a text")),
                    });
                }
                c => text.push(c),
            }
        }
    }

    /// `{1f600}` after `\u`, as Rust writes it.
    fn unicode(&mut self, start: usize) -> Result<char, ParseError> {
        let bad = |lexer: &Self| lexer.error(start, "unknown escape in a text");
        if self.peek() != Some('{') {
            return Err(bad(self));
        }
        self.offset += 1;
        let digits = self.take_while(|c| c.is_ascii_hexdigit());
        if self.peek() != Some('}') {
            return Err(bad(self));
        }
        self.offset += 1;
        u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).ok_or_else(|| bad(self))
    }
}

/// Characters of names.
pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

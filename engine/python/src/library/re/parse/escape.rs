//! Escapes and character sets.

use super::{ASCII, IGNORECASE, Parser, Result};
use crate::library::re::tree::{Assertion, Class, Node, Set, SetItem};

impl Parser<'_> {
    fn class(&self, c: char) -> Option<SetItem> {
        let class = match c.to_ascii_lowercase() {
            'd' => Class::Digit,
            'w' => Class::Word,
            's' => Class::Space,
            _ => return None,
        };
        Some(SetItem::Class { class, negated: c.is_ascii_uppercase(), ascii: self.on(ASCII) })
    }

    pub(super) fn escape(&mut self, start: usize) -> Result<Node> {
        let Some(c) = self.peek() else { return self.error("bad escape (end of pattern)", start) };
        self.at += 1;
        let ascii = self.on(ASCII);
        if let Some(item) = self.class(c) {
            return Ok(Node::Set(Set { items: vec![item], negated: false, ignore_case: false }));
        }
        match c {
            'A' => return Ok(Node::Assert(Assertion::TextStart)),
            'Z' => return Ok(Node::Assert(Assertion::TextEnd)),
            'b' | 'B' => return Ok(Node::Assert(Assertion::WordBoundary { negated: c == 'B', ascii })),
            '1'..='9' => {
                let mut number = c.to_digit(10).unwrap_or(0) as usize;
                let second = self.peek().and_then(|c| c.to_digit(8));
                let third = self.text.get(self.at + 1).and_then(|c| c.to_digit(8));
                if let (Some(second), Some(third), '1'..='7') = (second, third, c) {
                    // Three octal digits are a character.
                    self.at += 2;
                    let code = number as u32 * 64 + second * 8 + third;
                    return self.character(code, start);
                }
                if let Some(second) = self.peek().and_then(|c| c.to_digit(10)) {
                    self.at += 1;
                    number = number * 10 + second as usize;
                }
                return self.reference(number, start);
            }
            _ => {}
        }
        let code = self.escaped_character(c, start)?;
        self.character(code, start)
    }

    fn character(&self, code: u32, start: usize) -> Result<Node> {
        match char::from_u32(code) {
            Some(c) => Ok(Node::Char { c, ignore_case: self.on(IGNORECASE) }),
            None => self.error("bad escape", start),
        }
    }

    fn reference(&self, index: usize, start: usize) -> Result<Node> {
        if index > self.groups {
            return self.error(format!("invalid group reference {index}"), start + 1);
        }
        if self.open.contains(&index) {
            return self.error("cannot refer to an open group", start);
        }
        Ok(Node::Reference { index, ignore_case: self.on(IGNORECASE) })
    }

    /// The character of an escape that stands for one.
    fn escaped_character(&mut self, c: char, start: usize) -> Result<u32> {
        Ok(match c {
            'a' => 7,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            '0' => {
                let mut code = 0;
                for _ in 0..2 {
                    if let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) {
                        code = code * 8 + digit;
                        self.at += 1;
                    }
                }
                code
            }
            'x' => self.hexadecimal(c, 2, start)?,
            'u' => self.hexadecimal(c, 4, start)?,
            'U' => self.hexadecimal(c, 8, start)?,
            c if c.is_ascii_alphabetic() => return self.error(format!("bad escape \\{c}"), start),
            c => u32::from(c),
        })
    }

    fn hexadecimal(&mut self, letter: char, count: usize, start: usize) -> Result<u32> {
        let digits: String = self.text[self.at..].iter().take(count).take_while(|c| c.is_ascii_hexdigit()).collect();
        if digits.len() < count {
            return self.error(format!("incomplete escape \\{letter}{digits}"), start);
        }
        self.at += count;
        Ok(u32::from_str_radix(&digits, 16).unwrap_or(0))
    }

    pub(super) fn set(&mut self, start: usize) -> Result<Set> {
        let negated = self.accept('^');
        let mut items = Vec::new();
        let first = self.at;
        loop {
            let item_start = self.at;
            let Some(c) = self.peek() else {
                return self.error("unterminated character set", start);
            };
            self.at += 1;
            if c == ']' && item_start != first {
                break;
            }
            let low = self.set_member(c, item_start, start)?;
            let ranges = self.peek() == Some('-') && self.text.get(self.at + 1).is_some_and(|c| *c != ']');
            if !ranges {
                if self.peek() == Some('-') && self.text.get(self.at + 1).is_none() {
                    return self.error("unterminated character set", start);
                }
                items.push(low);
                continue;
            }
            self.at += 1;
            let high_start = self.at;
            let Some(c) = self.peek() else {
                return self.error("unterminated character set", start);
            };
            self.at += 1;
            let high = self.set_member(c, high_start, start)?;
            match (low, high) {
                (SetItem::Range(low, _), SetItem::Range(high, _)) if low <= high => {
                    items.push(SetItem::Range(low, high));
                }
                _ => {
                    let shown: String = self.text[item_start..self.at].iter().collect();
                    return self.error(format!("bad character range {shown}"), item_start);
                }
            }
        }
        Ok(Set { items, negated, ignore_case: self.on(IGNORECASE) })
    }

    fn set_member(&mut self, c: char, item_start: usize, set_start: usize) -> Result<SetItem> {
        if c != '\\' {
            return Ok(SetItem::Range(c, c));
        }
        let Some(c) = self.peek() else { return self.error("unterminated character set", set_start) };
        self.at += 1;
        if let Some(item) = self.class(c) {
            return Ok(item);
        }
        let code = match c {
            'b' => 8,
            '1'..='7' => {
                let mut code = c.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    if let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) {
                        code = code * 8 + digit;
                        self.at += 1;
                    }
                }
                code
            }
            c => self.escaped_character(c, item_start)?,
        };
        match char::from_u32(code) {
            Some(c) => Ok(SetItem::Range(c, c)),
            None => self.error("bad escape", item_start),
        }
    }
}

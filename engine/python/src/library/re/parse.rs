//! Parses regular expressions, with the errors of CPython's re._parser.

use super::tree::{Assertion, Class, Node, RepeatKind, Set, SetItem};

pub(super) const IGNORECASE: i64 = 2;
pub(super) const MULTILINE: i64 = 8;
pub(super) const DOTALL: i64 = 16;
pub(super) const UNICODE: i64 = 32;
pub(super) const VERBOSE: i64 = 64;
pub(super) const ASCII: i64 = 256;

/// A parsed pattern.
pub(super) struct Parsed {
    pub(super) node: Node,
    /// Number of groups, the whole match not counted.
    pub(super) groups: usize,
    /// Names of groups.
    pub(super) names: Vec<(String, usize)>,
    pub(super) flags: i64,
}

/// What is wrong with a pattern, and where.
#[derive(Debug)]
pub(super) struct Error {
    pub(super) message: String,
    pub(super) position: usize,
}

struct Parser<'a> {
    text: &'a [char],
    at: usize,
    flags: i64,
    groups: usize,
    names: Vec<(String, usize)>,
    /// Groups still open: they cannot be referred to.
    open: Vec<usize>,
    depth: usize,
}

type Result<T> = std::result::Result<T, Error>;

/// The position of an error that has none.
pub(super) const NOWHERE: usize = usize::MAX;

/// Nesting beyond this is refused, for the sake of Rust's stack.
const DEEPEST: usize = 200;

pub(super) fn parse(text: &[char], flags: i64) -> Result<Parsed> {
    let mut flags = flags;
    // Global flags stand at the beginning; VERBOSE changes how the rest is read.
    loop {
        let mut parser =
            Parser { text, at: 0, flags, groups: 0, names: Vec::new(), open: Vec::new(), depth: 0 };
        let node = parser.alternatives()?;
        if parser.at < text.len() {
            return Err(Error { message: "unbalanced parenthesis".into(), position: parser.at });
        }
        if parser.flags & VERBOSE != 0 && flags & VERBOSE == 0 {
            flags = parser.flags;
            continue;
        }
        let mut all = parser.flags;
        if all & ASCII == 0 {
            all |= UNICODE;
        }
        return Ok(Parsed { node, groups: parser.groups, names: parser.names, flags: all });
    }
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn accept(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(offset, c)| self.text.get(self.at + offset) == Some(&c))
    }

    fn error<T>(&self, message: impl Into<String>, position: usize) -> Result<T> {
        Err(Error { message: message.into(), position })
    }

    fn on(&self, flag: i64) -> bool {
        self.flags & flag != 0
    }

    fn alternatives(&mut self) -> Result<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.error("pattern nests too deeply", self.at);
        }
        let mut branches = vec![self.sequence()?];
        while self.accept('|') {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(match branches.pop() {
            Some(only) if branches.is_empty() => only,
            Some(last) => {
                branches.push(last);
                Node::Alternatives(branches)
            }
            None => Node::Empty,
        })
    }

    fn sequence(&mut self) -> Result<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            if self.on(VERBOSE) {
                if c.is_whitespace() {
                    self.at += 1;
                    continue;
                }
                if c == '#' {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                    continue;
                }
            }
            let start = self.at;
            if self.quantifier()?.is_some() {
                return self.error("nothing to repeat", start);
            }
            let Some(atom) = self.atom()? else { continue };
            let atom = self.repeated(atom)?;
            nodes.push(atom);
        }
        Ok(match nodes.pop() {
            None => Node::Empty,
            Some(only) if nodes.is_empty() => only,
            Some(last) => {
                nodes.push(last);
                Node::Concat(nodes)
            }
        })
    }


    /// The quantifiers after an atom.
    fn repeated(&mut self, atom: Node) -> Result<Node> {
        if self.on(VERBOSE) {
            while self.peek().is_some_and(char::is_whitespace) {
                self.at += 1;
            }
        }
        let start = self.at;
        let Some((least, most)) = self.quantifier()? else { return Ok(atom) };
        if matches!(atom, Node::Assert(_) | Node::Empty) {
            return self.error("nothing to repeat", start);
        }
        if most.is_some_and(|most| most < least) {
            return self.error("min repeat greater than max repeat", start + 1);
        }
        let kind = if self.accept('?') {
            RepeatKind::Lazy
        } else if self.accept('+') {
            RepeatKind::Possessive
        } else {
            RepeatKind::Greedy
        };
        let again = self.at;
        let node = Node::Repeat { node: Box::new(atom), least, most, kind };
        if self.quantifier()?.is_some() {
            return self.error("multiple repeat", again);
        }
        Ok(node)
    }

    /// `* + ? {m,n}`, without what may follow it; `None` where there is none.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let start = self.at;
        Ok(match self.peek() {
            Some('*') => {
                self.at += 1;
                Some((0, None))
            }
            Some('+') => {
                self.at += 1;
                Some((1, None))
            }
            Some('?') => {
                self.at += 1;
                Some((0, Some(1)))
            }
            Some('{') => {
                self.at += 1;
                let low = self.digits();
                let high = if self.accept(',') { self.digits() } else { low.clone() };
                let braces = self.accept('}');
                let nothing = low.is_empty() && high.is_empty() && self.text.get(start + 1) != Some(&',');
                if !braces || nothing {
                    self.at = start;
                    return Ok(None);
                }
                let number = |text: &str| text.parse::<u32>().ok().filter(|n| *n < 1_000_000);
                let least = if low.is_empty() { Some(0) } else { number(&low) };
                let most = if high.is_empty() { Some(None) } else { number(&high).map(Some) };
                match (least, most) {
                    (Some(least), Some(most)) => Some((least, most)),
                    _ => return self.error("the repetition number is too large", start),
                }
            }
            _ => None,
        })
    }

    fn digits(&mut self) -> String {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.text[start..self.at].iter().collect()
    }

    /// One atom; `None` for what matches nothing and leaves nothing, such as a comment.
    fn atom(&mut self) -> Result<Option<Node>> {
        let start = self.at;
        let Some(c) = self.peek() else { return Ok(None) };
        self.at += 1;
        let ignore_case = self.on(IGNORECASE);
        Ok(Some(match c {
            '.' => Node::Any { newline: self.on(DOTALL) },
            '^' if self.on(MULTILINE) => Node::Assert(Assertion::LineStart),
            '^' => Node::Assert(Assertion::TextStart),
            '$' if self.on(MULTILINE) => Node::Assert(Assertion::LineEnd),
            '$' => Node::Assert(Assertion::TextEndOrNewline),
            '[' => Node::Set(self.set(start)?),
            '(' => return self.group(start),
            '\\' => self.escape(start)?,
            c => Node::Char { c, ignore_case },
        }))
    }

    fn class(&self, c: char) -> Option<SetItem> {
        let class = match c.to_ascii_lowercase() {
            'd' => Class::Digit,
            'w' => Class::Word,
            's' => Class::Space,
            _ => return None,
        };
        Some(SetItem::Class { class, negated: c.is_ascii_uppercase(), ascii: self.on(ASCII) })
    }

    fn escape(&mut self, start: usize) -> Result<Node> {
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
        let digits: String =
            self.text[self.at..].iter().take(count).take_while(|c| c.is_ascii_hexdigit()).collect();
        if digits.len() < count {
            return self.error(format!("incomplete escape \\{letter}{digits}"), start);
        }
        self.at += count;
        Ok(u32::from_str_radix(&digits, 16).unwrap_or(0))
    }

    fn set(&mut self, start: usize) -> Result<Set> {
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

    fn group(&mut self, start: usize) -> Result<Option<Node>> {
        if !self.accept('?') {
            return self.capture(start, None).map(Some);
        }
        let Some(c) = self.peek() else { return self.error("unexpected end of pattern", self.at) };
        self.at += 1;
        match c {
            ':' => self.inner(start).map(Some),
            '>' => Ok(Some(Node::Atomic(Box::new(self.inner(start)?)))),
            '#' => {
                while self.peek().is_some_and(|c| c != ')') {
                    self.at += 1;
                }
                if !self.accept(')') {
                    return self.error("missing ), unterminated comment", start);
                }
                Ok(None)
            }
            '=' | '!' => {
                let node = Box::new(self.inner(start)?);
                Ok(Some(Node::Look { node, behind: false, negated: c == '!' }))
            }
            '<' if self.looking_at("=") || self.looking_at("!") => {
                let negated = self.peek() == Some('!');
                self.at += 1;
                let node = self.inner(start)?;
                let (least, most) = node.width();
                if most != Some(least) {
                    return self.error("look-behind requires fixed-width pattern", NOWHERE);
                }
                Ok(Some(Node::Look { node: Box::new(node), behind: true, negated }))
            }
            'P' if self.accept('<') => {
                let name_start = self.at;
                let name = self.name('>', "group name")?;
                if self.names.iter().any(|(known, _)| *known == name) {
                    let index = self.names.iter().find(|(known, _)| *known == name).map_or(0, |(_, index)| *index);
                    return self.error(
                        format!(
                            "redefinition of group name '{name}' as group {}; was group {index}",
                            self.groups + 1
                        ),
                        name_start,
                    );
                }
                self.capture(start, Some(name)).map(Some)
            }
            'P' if self.accept('=') => {
                let name_start = self.at;
                let name = self.name(')', "group name")?;
                match self.names.iter().find(|(known, _)| *known == name).map(|(_, index)| *index) {
                    Some(index) if self.open.contains(&index) => {
                        self.error("cannot refer to an open group", name_start)
                    }
                    Some(index) => Ok(Some(Node::Reference { index, ignore_case: self.on(IGNORECASE) })),
                    None => self.error(format!("unknown group name '{name}'"), name_start),
                }
            }
            'P' => {
                let next = self.peek().map_or(String::new(), |c| c.to_string());
                self.error(format!("unknown extension ?P{next}"), start + 1)
            }
            '(' => self.conditional(start).map(Some),
            c if "aiLmsux-".contains(c) => {
                self.at -= 1;
                self.inline_flags(start)
            }
            c => self.error(format!("unknown extension ?{c}"), start + 1),
        }
    }

    fn name(&mut self, end: char, what: &str) -> Result<String> {
        let start = self.at;
        while self.peek().is_some_and(|c| c != end) {
            self.at += 1;
        }
        let name: String = self.text[start..self.at].iter().collect();
        if !self.accept(end) {
            return self.error(format!("missing {end}, unterminated name"), start);
        }
        if name.is_empty() {
            return self.error(format!("missing {what}"), start);
        }
        let valid = name.chars().enumerate().all(|(at, c)| c == '_' || c.is_alphabetic() || (at > 0 && c.is_alphanumeric()));
        if !valid && !(what == "condition" && name.chars().all(|c| c.is_ascii_digit())) {
            return self.error(format!("bad character in group name '{name}'"), start);
        }
        Ok(name)
    }

    fn capture(&mut self, start: usize, name: Option<String>) -> Result<Node> {
        self.groups += 1;
        let index = self.groups;
        self.names.extend(name.map(|name| (name, index)));
        self.open.push(index);
        let node = Box::new(self.inner(start)?);
        self.open.pop();
        Ok(Node::Capture { index, node })
    }

    /// The inside of a group, and its end.
    fn inner(&mut self, start: usize) -> Result<Node> {
        let flags = self.flags;
        let node = self.alternatives()?;
        if !self.accept(')') {
            return self.error("missing ), unterminated subpattern", start);
        }
        self.flags = flags;
        // A group is an atom, even where it is empty or holds a repetition alone.
        Ok(match node {
            node @ (Node::Repeat { .. } | Node::Assert(_) | Node::Empty) => Node::Concat(vec![node]),
            node => node,
        })
    }

    fn conditional(&mut self, start: usize) -> Result<Node> {
        let name_start = self.at;
        let name = self.name(')', "condition")?;
        let index = match name.parse::<usize>() {
            Ok(index) => index,
            Err(_) => match self.names.iter().find(|(known, _)| *known == name) {
                Some((_, index)) => *index,
                None => return self.error(format!("unknown group name '{name}'"), name_start),
            },
        };
        if index == 0 || index > self.groups {
            return self.error(format!("invalid group reference {index}"), name_start);
        }
        let yes = Box::new(self.sequence()?);
        let no = if self.accept('|') { self.sequence()? } else { Node::Empty };
        if self.peek() == Some('|') {
            return self.error("conditional backref with more than two branches", self.at);
        }
        if !self.accept(')') {
            return self.error("missing ), unterminated subpattern", start);
        }
        Ok(Node::Conditional { index, yes, no: Box::new(no) })
    }

    fn inline_flags(&mut self, start: usize) -> Result<Option<Node>> {
        let (mut on, mut off, mut negative) = (0, 0, false);
        loop {
            let Some(c) = self.peek() else { return self.error("missing -, : or )", self.at) };
            self.at += 1;
            let flag = match c {
                'i' => IGNORECASE,
                'm' => MULTILINE,
                's' => DOTALL,
                'x' => VERBOSE,
                'a' => ASCII,
                'u' => UNICODE,
                '-' if !negative => {
                    negative = true;
                    continue;
                }
                ')' if !negative => {
                    if start != 0 {
                        return self.error("global flags not at the start of the expression", start);
                    }
                    self.flags |= on;
                    return Ok(None);
                }
                ':' => {
                    let outer = self.flags;
                    self.flags = (self.flags | on) & !off;
                    let node = self.inner(start);
                    self.flags = outer;
                    return node.map(Some);
                }
                c if c.is_alphabetic() => return self.error("unknown flag", self.at - 1),
                _ => return self.error("missing -, : or )", self.at - 1),
            };
            if negative { off |= flag } else { on |= flag }
        }
    }
}

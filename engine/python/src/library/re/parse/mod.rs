//! Parses regular expressions, with the errors of CPython's re._parser. Escapes and sets are in [`escape`], groups in
//! [`group`].

mod escape;
mod group;

use super::tree::{Assertion, Node, RepeatKind};

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
        let mut parser = Parser { text, at: 0, flags, groups: 0, names: Vec::new(), open: Vec::new(), depth: 0 };
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
}

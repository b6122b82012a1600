//! Regular expressions as trees: what [`super::parse`] makes and [`super::program`] compiles.

/// A pattern, or a part of one.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Empty,
    /// A character; with `ignore_case` in any case.
    Char {
        c: char,
        ignore_case: bool,
    },
    /// `.`; with `newline` also a line end.
    Any {
        newline: bool,
    },
    Set(Set),
    Concat(Vec<Node>),
    Alternatives(Vec<Node>),
    Repeat {
        node: Box<Node>,
        least: u32,
        most: Option<u32>,
        kind: RepeatKind,
    },
    /// A capturing group.
    Capture {
        index: usize,
        node: Box<Node>,
    },
    /// `(?>...)`
    Atomic(Box<Node>),
    Assert(Assertion),
    Look {
        node: Box<Node>,
        behind: bool,
        negated: bool,
    },
    /// `\1`, `(?P=name)`
    Reference {
        index: usize,
        ignore_case: bool,
    },
    /// `(?(1)yes|no)`
    Conditional {
        index: usize,
        yes: Box<Node>,
        no: Box<Node>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepeatKind {
    Greedy,
    Lazy,
    Possessive,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Assertion {
    /// `\A`, and `^` without MULTILINE.
    TextStart,
    /// `^` with MULTILINE.
    LineStart,
    /// `\Z`
    TextEnd,
    /// `$` without MULTILINE: also before a last line end.
    TextEndOrNewline,
    /// `$` with MULTILINE.
    LineEnd,
    WordBoundary {
        negated: bool,
        ascii: bool,
    },
}

/// `[...]`, or a class such as `\d`.
#[derive(Clone, Debug)]
pub(super) struct Set {
    pub(super) items: Vec<SetItem>,
    pub(super) negated: bool,
    pub(super) ignore_case: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum SetItem {
    Range(char, char),
    /// `\d`, `\w`, `\s` and their opposites.
    Class {
        class: Class,
        negated: bool,
        ascii: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Digit,
    Word,
    Space,
}

impl Class {
    pub(super) fn contains(self, c: char, ascii: bool) -> bool {
        match (self, ascii) {
            (Class::Digit, true) => c.is_ascii_digit(),
            (Class::Digit, false) => c.is_ascii_digit() || is_decimal(c),
            (Class::Word, true) => c.is_ascii_alphanumeric() || c == '_',
            (Class::Word, false) => c.is_alphanumeric() || c == '_',
            (Class::Space, true) => matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c'),
            (Class::Space, false) => c.is_whitespace() || matches!(c, '\x1c'..='\x1f'),
        }
    }
}

/// Decimal digits outside ASCII: the blocks of ten that begin at these characters (Unicode's Nd, the common ones).
fn is_decimal(c: char) -> bool {
    const ZEROS: [u32; 12] = [0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xe50, 0xed0, 0xff10];
    ZEROS.iter().any(|zero| (*zero..zero + 10).contains(&u32::from(c)))
}

/// The simple lower-case form by which case-insensitive matching compares.
pub(super) fn fold(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) => lower,
        _ => c,
    }
}

impl Set {
    pub(super) fn contains(&self, c: char) -> bool {
        let holds = |c: char| {
            self.items.iter().any(|item| match *item {
                SetItem::Range(low, high) => (low..=high).contains(&c),
                SetItem::Class { class, negated, ascii } => class.contains(c, ascii) != negated,
            })
        };
        let found = if self.ignore_case {
            let mut upper = c.to_uppercase();
            let upper = match (upper.next(), upper.next()) {
                (Some(upper), None) => upper,
                _ => c,
            };
            holds(c) || holds(fold(c)) || holds(upper)
        } else {
            holds(c)
        };
        found != self.negated
    }
}

impl Node {
    /// Least and most number of characters; `None` for no bound.
    pub(super) fn width(&self) -> (usize, Option<usize>) {
        match self {
            Node::Empty | Node::Assert(_) | Node::Look { .. } => (0, Some(0)),
            Node::Char { .. } | Node::Any { .. } | Node::Set(_) => (1, Some(1)),
            Node::Concat(nodes) => nodes.iter().fold((0, Some(0)), |(least, most), node| {
                let (own_least, own_most) = node.width();
                (least + own_least, most.zip(own_most).map(|(a, b)| a + b))
            }),
            Node::Alternatives(nodes) => either(nodes.iter().map(Node::width)),
            Node::Repeat { node, least, most, .. } => {
                let (own_least, own_most) = node.width();
                let most = match (own_most, most) {
                    (Some(0), _) => Some(0),
                    (Some(own), Some(most)) => Some(own.saturating_mul(*most as usize)),
                    _ => None,
                };
                (own_least.saturating_mul(*least as usize), most)
            }
            Node::Capture { node, .. } | Node::Atomic(node) => node.width(),
            Node::Reference { .. } => (0, None),
            Node::Conditional { yes, no, .. } => either([yes.width(), no.width()].into_iter()),
        }
    }
}

fn either(widths: impl Iterator<Item = (usize, Option<usize>)>) -> (usize, Option<usize>) {
    widths
        .reduce(|(a_least, a_most), (b_least, b_most)| {
            (a_least.min(b_least), a_most.zip(b_most).map(|(a, b)| a.max(b)))
        })
        .unwrap_or((0, Some(0)))
}

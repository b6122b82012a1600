//! The cases of `match`.

use super::expression::{Constant, Expr};
use super::{Name, Stmt};
use crate::span::Span;
use std::sync::Arc;

/// One `case` of a `match`.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct MatchCase {
    pub pattern: Pattern,
    pub guard: Option<Expr>,
    pub body: Arc<[Stmt]>,
    pub span: Span,
}

/// A pattern of a `case`, PEP 634.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub enum Pattern {
    /// `_`
    Wildcard,
    /// A name, or `pattern as name`.
    Capture {
        pattern: Option<Box<Pattern>>,
        name: Name,
        span: Span,
    },
    /// A literal or dotted name, compared with `==`.
    Value(Expr),
    /// `None`, `True`, `False`, compared with `is`.
    Singleton(Constant),
    Sequence(Vec<Pattern>),
    /// `*rest` inside a sequence; `None` for `*_`.
    Star(Option<Name>),
    Mapping {
        keys: Vec<Expr>,
        patterns: Vec<Pattern>,
        rest: Option<Name>,
    },
    Class {
        class: Expr,
        positional: Vec<Pattern>,
        keywords: Vec<(Name, Pattern)>,
    },
    Or(Vec<Pattern>),
}

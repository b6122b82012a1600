//! Expressions: Python's `expr`, arguments of calls, comprehensions, constants, the parts of f-strings.

use super::Name;
use super::definition::{Params, Scope};
use super::operator::{BinaryOp, BoolOp, CompareOp, UnaryOp};
use crate::span::Span;
use std::sync::Arc;

/// A `lambda`.
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct Lambda {
    pub params: Params,
    pub body: Expr,
    pub scope: Scope,
    pub span: Span,
}

/// One argument of a call, or one entry of a class's bases.
#[derive(Clone, Debug)]
pub enum Arg {
    /// `f(x)`
    Positional(Expr),
    /// `f(*x)`
    Star(Expr),
    /// `f(name=x)`
    Keyword(Name, Expr, Span),
    /// `f(**x)`
    DoubleStar(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it, without enclosing parentheses (as in Python's ast, where a tuple keeps its own).
    pub span: Span,
}

impl Expr {
    /// What an `async for` or `async with` goes through: such a statement is a plain one over an await that nobody has written, and
    /// that is therefore no longer than what it awaits.
    pub fn awaited_by_statement(&self) -> Option<&Expr> {
        match &self.kind {
            ExprKind::Await(inner) if inner.span == self.span => Some(inner),
            _ => None,
        }
    }
}

/// The kinds of expression.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub enum ExprKind {
    Name(Name),
    Constant(Constant),
    FString(Arc<[FStringPart]>),
    BinOp {
        left: Box<Expr>,
        op: BinaryOp,
        right: Box<Expr>,
    },
    UnaryOp {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    BoolOp {
        op: BoolOp,
        values: Vec<Expr>,
    },
    /// `left ops[0] rest[0] ops[1] rest[1] ...`
    Compare {
        left: Box<Expr>,
        ops: Vec<CompareOp>,
        rest: Vec<Expr>,
    },
    Call {
        function: Box<Expr>,
        args: Vec<Arg>,
    },
    Attribute {
        value: Box<Expr>,
        name: Name,
        name_span: Span,
    },
    Subscript {
        value: Box<Expr>,
        index: Box<Expr>,
    },
    /// Only inside a subscript.
    Slice {
        lower: Option<Box<Expr>>,
        upper: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
    },
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    Set(Vec<Expr>),
    /// `None` keys are `**mapping`.
    Dict(Vec<(Option<Expr>, Expr)>),
    ListComp(Arc<Comprehension>),
    SetComp(Arc<Comprehension>),
    /// `element` is the key, `value` the value.
    DictComp(Arc<Comprehension>),
    GeneratorExp(Arc<Comprehension>),
    Lambda(Arc<Lambda>),
    IfExp {
        test: Box<Expr>,
        body: Box<Expr>,
        orelse: Box<Expr>,
    },
    NamedExpr {
        target: Name,
        target_span: Span,
        value: Box<Expr>,
    },
    Starred(Box<Expr>),
    Yield(Option<Box<Expr>>),
    YieldFrom(Box<Expr>),
    Await(Box<Expr>),
    /// A region that did not parse.
    Error,
}

/// The body and clauses of a comprehension. The first clause's `iter` is evaluated in the enclosing scope.
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct Comprehension {
    pub element: Expr,
    /// The value of a dict comprehension.
    pub value: Option<Expr>,
    pub clauses: Vec<ComprehensionClause>,
    pub scope: Scope,
    pub span: Span,
}

/// `for target in iter if c if d`
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct ComprehensionClause {
    pub target: Expr,
    pub iter: Expr,
    pub conditions: Vec<Expr>,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// An integer that fits.
    Int(i64),
    /// A larger one: its decimal digits.
    BigInt(Arc<str>),
    /// A float.
    Float(f64),
    /// The imaginary part of `2j`.
    Imaginary(f64),
    /// A string; adjacent literals are joined.
    Str(Arc<str>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// `...`
    Ellipsis,
}

/// A piece of an f-string. Nested quotes and nested fields (PEP 701) are allowed.
#[derive(Clone, Debug)]
pub enum FStringPart {
    /// Text with escapes resolved.
    Literal(Arc<str>),
    /// `{value!conversion:spec}`
    Field(FStringField),
}

/// One replacement field.
#[derive(Clone, Debug)]
pub struct FStringField {
    /// What is formatted.
    pub value: Expr,
    /// The text before `=` for `{value=}`, spaces and the `=` included.
    pub debug_text: Option<Arc<str>>,
    /// `r`, `s` or `a`.
    pub conversion: Option<char>,
    /// The format spec, itself of parts.
    pub spec: Arc<[FStringPart]>,
}

//! Functions and classes: parameters, bodies, and the names that are local to them.

use super::expression::{Arg, Expr};
use super::{Name, Stmt};
use crate::span::Span;
use std::sync::Arc;

/// A `def`.
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct FunctionDef {
    pub name: Name,
    pub name_span: Span,
    pub params: Params,
    pub body: Arc<[Stmt]>,
    pub decorators: Vec<Expr>,
    pub returns: Option<Expr>,
    /// Which names are local, global, nonlocal; whether it yields.
    pub scope: Scope,
    pub docstring: Option<Arc<str>>,
    pub is_async: bool,
    /// The names of PEP 695 type parameters (`def f[T]`); their bounds are not kept.
    pub type_params: Vec<Name>,
    /// From `def` (or `async`) on, decorators excluded.
    pub span: Span,
}

/// A `class`.
#[derive(Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct ClassDef {
    pub name: Name,
    pub name_span: Span,
    pub bases: Vec<Arg>,
    pub body: Arc<[Stmt]>,
    pub decorators: Vec<Expr>,
    pub scope: Scope,
    pub docstring: Option<Arc<str>>,
    /// The names of PEP 695 type parameters (`class C[T]`); their bounds are not kept.
    pub type_params: Vec<Name>,
    /// From `class` on, decorators excluded.
    pub span: Span,
}

/// How the names of a function, lambda, class or comprehension body are bound, as CPython's symtable finds it.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Names bound here, parameters first, each once, without those declared global or nonlocal.
    pub locals: Vec<Name>,
    /// Names declared `global`.
    pub globals: Vec<Name>,
    /// Names declared `nonlocal`.
    pub nonlocals: Vec<Name>,
    /// Contains `yield`.
    pub is_generator: bool,
}

/// The parameters of a function in declaration order.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct Params {
    pub positional_only: Vec<Param>,
    pub positional: Vec<Param>,
    /// `*args`
    pub vararg: Option<Param>,
    pub keyword_only: Vec<Param>,
    /// `**kwargs`
    pub kwarg: Option<Param>,
}

/// One parameter.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "field names are those of Python's ast module")]
pub struct Param {
    pub name: Name,
    pub annotation: Option<Expr>,
    pub default: Option<Expr>,
    pub span: Span,
}

impl Params {
    /// Every parameter in the order in which Python lists them.
    pub fn iter(&self) -> impl Iterator<Item = &Param> {
        self.positional_only
            .iter()
            .chain(&self.positional)
            .chain(&self.vararg)
            .chain(&self.keyword_only)
            .chain(&self.kwarg)
    }
}

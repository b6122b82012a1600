//! `def` and `class` whose header or block does not parse: the name, what can be read of the parameters, the block.

use super::Recover;
use super::compound::Clause;
use super::simple::split;
use crate::ast::{Arg, ClassDef, Expr, ExprKind, FunctionDef, Name, Param, Params, StmtKind};
use crate::lower::docstring;
use crate::scope;
use crate::span::Span;
use crate::token::{Token, TokenKind, is_keyword, tokens};
use std::sync::Arc;

impl Recover<'_, '_> {
    pub(super) fn class_kind(&mut self, clause: &Clause<'_>, decorators: Vec<Expr>) -> StmtKind {
        let statement = self.header(clause, "", None);
        let Some((name, name_span)) = self.defined_name(clause) else {
            return StmtKind::Error;
        };
        let bases = match statement.map(|statement| statement.kind) {
            Some(StmtKind::ClassDef(class)) => class.bases.clone(),
            // Bases that cannot be read: one error stands for them.
            _ => vec![Arg::Positional(self.head_error(clause))],
        };
        StmtKind::ClassDef(Arc::new(ClassDef {
            name,
            name_span,
            bases,
            scope: scope::class(&clause.body),
            docstring: docstring(&clause.body),
            body: clause.body.clone(),
            decorators,
            type_params: Vec::new(),
            span: self.definition_span(clause),
        }))
    }

    pub(super) fn function_kind(&mut self, clause: &Clause<'_>, decorators: Vec<Expr>) -> StmtKind {
        let statement = self.header(clause, "", None);
        let Some((name, name_span)) = self.defined_name(clause) else {
            return StmtKind::Error;
        };
        let (params, returns, is_async, type_params) = match statement.map(|s| s.kind) {
            Some(StmtKind::FunctionDef(def)) => {
                (def.params.clone(), def.returns.clone(), def.is_async, def.type_params.clone())
            }
            _ => (self.salvage_params(clause), None, false, Vec::new()),
        };
        StmtKind::FunctionDef(Arc::new(FunctionDef {
            name,
            name_span,
            scope: scope::function(&params, &clause.body),
            params,
            docstring: docstring(&clause.body),
            body: clause.body.clone(),
            decorators,
            returns,
            is_async,
            type_params,
            span: self.definition_span(clause),
        }))
    }

    fn definition_span(&self, clause: &Clause<'_>) -> Span {
        let end = clause.body.last().map_or(clause.head_end, |last| last.span.end as usize);
        self.span(clause.header.start, end)
    }

    fn head_error(&self, clause: &Clause<'_>) -> Expr {
        Expr { kind: ExprKind::Error, span: self.span(clause.header.start, clause.head_end) }
    }

    /// The name after `def` or `class`.
    fn defined_name(&mut self, clause: &Clause<'_>) -> Option<(Name, Span)> {
        let text = &self.lower.source.text;
        let found = tokens(text, clause.header.start, clause.head_end);
        let at = found.iter().position(|token| token.text(text) == clause.word)?;
        let name = found.get(at + 1).filter(|token| token.kind == TokenKind::Name)?;
        let span = self.span(name.start, name.end);
        Some((self.lower.intern(name.text(text)), span))
    }

    /// The names of parameters that do not parse as a list: the first name of each piece between commas.
    fn salvage_params(&mut self, clause: &Clause<'_>) -> Params {
        let text = &self.lower.source.text;
        let found = tokens(text, clause.header.start, clause.head_end);
        let mut params = Params::default();
        let Some(open) = found.iter().position(|token| token.text(text) == "(") else {
            return params;
        };
        let mut starred = false;
        for piece in split(&found[open + 1..], text, ",") {
            let stars = piece.first().map_or("", |token| token.text(text));
            let name = piece.iter().find(|token| token.kind == TokenKind::Name);
            let Some(name) = name.copied().filter(|name: &Token| !is_keyword(name.text(text))) else {
                starred |= stars == "*";
                continue;
            };
            let span = self.span(name.start, name.end);
            // With a default of some kind, the parameter need not be given.
            let has_default = piece.iter().any(|token| token.text(text) == "=");
            let param = Param {
                name: self.lower.intern(name.text(text)),
                annotation: None,
                default: has_default.then_some(Expr { kind: ExprKind::Error, span }),
                span,
            };
            match stars {
                "*" => {
                    params.vararg = Some(param);
                    starred = true;
                }
                "**" => params.kwarg = Some(param),
                _ if starred => params.keyword_only.push(param),
                _ => params.positional.push(param),
            }
        }
        params
    }
}

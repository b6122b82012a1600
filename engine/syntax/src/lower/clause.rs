//! Compound statements: `if`, loops, `with`, `try`, `match`.

use super::expression::has_comma;
use super::{Kind, Lower, children, field, fields, named};
use crate::ast::{ExceptHandler, Expr, ExprKind, Stmt, StmtKind, WithItem};
use crate::span::Span;
use std::sync::Arc;
use tree_sitter::Node;

/// Longest chain of `elif`s: each is nested in the one before it.
const MAX_ELIF: usize = 1000;

impl Lower<'_> {
    /// The statements of a block; none where there is no block.
    pub(super) fn suite(&mut self, node: Option<Node<'_>>) -> Arc<[Stmt]> {
        if let (Some((position, _)), Some(node)) = (&self.given_suite, node)
            && node.start_byte() >= *position
        {
            return self.given_suite.take().map_or_else(|| Arc::from([]), |(_, body)| body);
        }
        match node {
            Some(node) => self.deeper(node, |lower| lower.statements(node)).unwrap_or_default().into(),
            None => Arc::from([]),
        }
    }

    /// A compound statement ends where the last statement of its last block does; comments after it do not count.
    pub(super) fn compound_span(&self, node: Node<'_>, body: &[Stmt]) -> Span {
        let mut span = self.span(node);
        if let Some(last) = body.last() {
            // A semicolon after the last statement of a line does count, as it does in CPython.
            let rest = self.source.text.get(last.span.end as usize..span.end as usize);
            let rest = rest.unwrap_or("");
            let semicolon = rest.trim_start_matches([' ', '\t']).starts_with(';');
            span.end = match rest.find(';') {
                Some(at) if semicolon => last.span.end + at as u32 + 1,
                _ => last.span.end,
            };
        }
        span
    }

    pub(super) fn if_statement(&mut self, node: Node<'_>) -> Stmt {
        let test = self.expression_field(node, "condition");
        let body = self.suite(field(node, "consequence"));
        let mut alternatives = fields(node, "alternative");
        if alternatives.len() > MAX_ELIF {
            let span = self.span(alternatives[MAX_ELIF]);
            self.error(span, "too many nested parentheses");
            alternatives.truncate(MAX_ELIF);
        }
        // Lowered in order, so that errors come in order, then nested from the last one up.
        let lowered: Vec<_> = alternatives
            .into_iter()
            .map(|clause| {
                self.starts_line(clause);
                if clause.called() == "elif_clause" {
                    let test = self.expression_field(clause, "condition");
                    (clause, Some(test), self.suite(field(clause, "consequence")))
                } else {
                    (clause, None, self.suite(field(clause, "body")))
                }
            })
            .collect();
        let mut orelse: Arc<[Stmt]> = Arc::from([]);
        for (clause, test, body) in lowered.into_iter().rev() {
            orelse = match test {
                Some(test) => {
                    let last = orelse.last().or(body.last()).cloned();
                    let span = self.compound_span(clause, last.as_slice());
                    let kind = StmtKind::If { test, body, orelse };
                    Arc::from([Stmt { kind, span }])
                }
                None => body,
            };
        }
        let end = if orelse.is_empty() { &body } else { &orelse };
        Stmt { span: self.compound_span(node, end), kind: StmtKind::If { test, body, orelse } }
    }

    /// The `else` block of a loop or a `try`.
    fn else_suite(&mut self, node: Node<'_>) -> Arc<[Stmt]> {
        let clause = named(node).into_iter().find(|c| c.called() == "else_clause");
        match clause {
            Some(clause) => {
                self.starts_line(clause);
                self.suite(field(clause, "body"))
            }
            None => Arc::from([]),
        }
    }

    /// What an `async for` or `async with` goes through is awaited: see [`Expr::awaited_by_statement`].
    pub(super) fn perhaps_async(&mut self, node: Node<'_>, expr: Expr) -> Expr {
        match children(node).iter().any(|c| c.called() == "async") {
            true => Expr { span: expr.span, kind: ExprKind::Await(Box::new(expr)) },
            false => expr,
        }
    }

    pub(super) fn for_statement(&mut self, node: Node<'_>) -> Stmt {
        let target = self.expression_field(node, "left");
        let iter = self.expression_field(node, "right");
        let iter = self.perhaps_async(node, iter);
        let body = self.suite(field(node, "body"));
        let orelse = self.else_suite(node);
        let end = if orelse.is_empty() { &body } else { &orelse };
        Stmt { span: self.compound_span(node, end), kind: StmtKind::For { target, iter, body, orelse } }
    }

    pub(super) fn while_statement(&mut self, node: Node<'_>) -> Stmt {
        let test = self.expression_field(node, "condition");
        let body = self.suite(field(node, "body"));
        let orelse = self.else_suite(node);
        let end = if orelse.is_empty() { &body } else { &orelse };
        Stmt { span: self.compound_span(node, end), kind: StmtKind::While { test, body, orelse } }
    }

    pub(super) fn with_statement(&mut self, node: Node<'_>) -> Stmt {
        let clause = named(node).into_iter().find(|c| c.called() == "with_clause");
        let mut items = clause.map(|clause| self.with_items(clause)).unwrap_or_default();
        for item in &mut items {
            item.context = self.perhaps_async(node, item.context.clone());
        }
        let body = self.suite(field(node, "body"));
        Stmt { span: self.compound_span(node, &body), kind: StmtKind::With { items: items.into(), body } }
    }

    fn with_items(&mut self, clause: Node<'_>) -> Vec<WithItem> {
        let mut values: Vec<_> = named(clause).into_iter().map(|item| field(item, "value").unwrap_or(item)).collect();
        // `with (a as b, c):` is a tuple to the grammar, and a list of items to Python; `(a as b)` likewise.
        if let [only] = values.as_slice() {
            let inner = named(*only);
            let is_items = match only.called() {
                "tuple" => !inner.is_empty() && inner.iter().all(|c| !matches!(c.called(), "list_splat" | "yield")),
                "parenthesized_expression" => inner.iter().all(|c| c.called() == "as_pattern"),
                _ => false,
            };
            if is_items {
                values = inner;
            }
        }
        values.into_iter().map(|value| self.with_item(value)).collect()
    }

    fn with_item(&mut self, value: Node<'_>) -> WithItem {
        let (context, target) = self.value_as(value);
        WithItem { context, target }
    }

    /// `value` or `value as target`.
    fn value_as(&mut self, node: Node<'_>) -> (Expr, Option<Expr>) {
        if node.called() != "as_pattern" {
            return (self.expression(node), None);
        }
        let context = match named(node).first() {
            Some(value) => self.expression(*value),
            None => self.error_expression(node),
        };
        (context, Some(self.expression_field(node, "alias")))
    }

    pub(super) fn try_statement(&mut self, node: Node<'_>) -> Stmt {
        let body = self.suite(field(node, "body"));
        let mut handlers = Vec::new();
        let mut finalbody: Arc<[Stmt]> = Arc::from([]);
        for clause in named(node) {
            self.starts_line(clause);
            match clause.called() {
                "except_clause" => handlers.push(self.handler(clause)),
                "finally_clause" => {
                    let block = named(clause).into_iter().find(|c| c.called() == "block");
                    finalbody = self.suite(block);
                }
                _ => {}
            }
        }
        let orelse = self.else_suite(node);
        let end = finalbody
            .last()
            .or(orelse.last())
            .map(|last| last.span)
            .or(handlers.last().map(|handler| handler.span))
            .or(body.last().map(|last| last.span));
        let mut span = self.span(node);
        span.end = end.map_or(span.end, |end| end.end);
        if handlers.is_empty() && finalbody.is_empty() && !node.has_error() {
            self.error(span, "expected 'except' or 'finally' block");
        }
        Stmt { kind: StmtKind::Try { body, handlers: handlers.into(), orelse, finalbody }, span }
    }

    fn handler(&mut self, node: Node<'_>) -> ExceptHandler {
        let is_star = children(node).iter().any(|c| c.called() == "*");
        let values = fields(node, "value");
        let (mut exception, mut target) = match values.as_slice() {
            [] => (None, None),
            [value] => {
                let (exception, target) = self.value_as(*value);
                (Some(exception), target)
            }
            _ => {
                let span = self.span_over(values[0], values[values.len() - 1]);
                self.error(span, "multiple exception types must be parenthesized");
                let kind = ExprKind::Error;
                (Some(Expr { kind, span }), None)
            }
        };
        if let Some(alias) = field(node, "alias") {
            target = Some(self.expression(alias));
        }
        let name = match target {
            Some(Expr { kind: ExprKind::Name(name), .. }) => Some(name),
            Some(other) => {
                self.error(other.span, "invalid syntax");
                exception = Some(Expr { kind: ExprKind::Error, span: other.span });
                None
            }
            None => None,
        };
        let block = named(node).into_iter().rfind(|c| c.called() == "block");
        let body = self.suite(block);
        ExceptHandler { exception, name, span: self.compound_span(node, &body), body, is_star }
    }

    pub(super) fn match_statement(&mut self, node: Node<'_>) -> Stmt {
        let subjects = fields(node, "subject");
        let body = field(node, "body");
        let subject = match subjects.as_slice() {
            [one] if !has_comma(node) => self.expression(*one),
            [first, .., last] | [first @ last] => Expr {
                span: self.span_between(first.start_byte(), super::expression::trailing_end(node, *last)),
                kind: ExprKind::Tuple(subjects.iter().map(|s| self.expression(*s)).collect()),
            },
            [] => self.error_expression(node),
        };
        let cases: Vec<_> = body
            .map(|body| fields(body, "alternative"))
            .unwrap_or_default()
            .into_iter()
            .map(|case| self.case(case))
            .collect();
        let mut span = self.span(node);
        if let Some(last) = cases.last() {
            span.end = last.span.end;
        }
        Stmt { kind: StmtKind::Match { subject, cases: cases.into() }, span }
    }
}

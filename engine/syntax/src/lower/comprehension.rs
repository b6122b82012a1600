//! Comprehensions and generator expressions.

use super::{Kind, Lower, field, fields, is_error, named};
use crate::ast::{Comprehension, ComprehensionClause, ExprKind};
use crate::scope;
use std::sync::Arc;
use tree_sitter::Node;

impl Lower<'_> {
    /// Lowers a comprehension of any kind.
    pub(super) fn comprehension(&mut self, node: Node<'_>) -> ExprKind {
        let Some(body) = field(node, "body") else {
            return ExprKind::Error;
        };
        let (element, value) = if body.called() == "pair" {
            (self.expression_field(body, "key"), Some(self.expression_field(body, "value")))
        } else {
            (self.expression(body), None)
        };
        let mut clauses: Vec<ComprehensionClause> = Vec::new();
        for child in named(node) {
            match child.called() {
                "for_in_clause" => {
                    let clause = self.for_in_clause(child);
                    clauses.push(clause);
                }
                "if_clause" => {
                    let condition = self.only(child);
                    match clauses.last_mut() {
                        Some(clause) => clause.conditions.push(condition),
                        None => return ExprKind::Error,
                    }
                }
                _ if child.id() == body.id() => {}
                _ if is_error(child) => return ExprKind::Error,
                _ => {}
            }
        }
        if clauses.is_empty() {
            return ExprKind::Error;
        }
        let scope = scope::comprehension(&clauses);
        let comprehension = Arc::new(Comprehension { element, value, clauses, scope, span: self.span(node) });
        match node.called() {
            "list_comprehension" => ExprKind::ListComp(comprehension),
            "set_comprehension" => ExprKind::SetComp(comprehension),
            "dictionary_comprehension" => ExprKind::DictComp(comprehension),
            _ => ExprKind::GeneratorExp(comprehension),
        }
    }

    fn for_in_clause(&mut self, node: Node<'_>) -> ComprehensionClause {
        let target = self.expression_field(node, "left");
        let rights = fields(node, "right");
        let iter = match rights.as_slice() {
            [one] => self.expression(*one),
            // `for x in a, b` in a comprehension was Python 2.
            _ => {
                let span = self.span(node);
                let call = node.parent().and_then(|generator| generator.parent());
                let message = match call.map(|call| call.called()) {
                    Some("call") => "Generator expression must be parenthesized",
                    _ => "invalid syntax",
                };
                self.error(span, message);
                self.error_expression(node)
            }
        };
        let iter = self.perhaps_async(node, iter);
        ComprehensionClause { target, iter, conditions: Vec::new() }
    }
}

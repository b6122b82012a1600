//! Annotations. The grammar reads them with rules of its own; Python reads them as expressions, and so do we.

use super::expression::{has_comma, trailing_end};
use super::{Kind, Lower, children, named};
use crate::ast::{BinaryOp, Expr, ExprKind, Name};
use tree_sitter::Node;

impl Lower<'_> {
    /// The annotation rules that are not expressions to the grammar: `list[int]`, `a | b`, `*Ts`, `a.b[c].d`.
    pub(super) fn type_expression(&mut self, node: Node<'_>) -> ExprKind {
        let parts = named(node);
        match (node.called(), parts.as_slice()) {
            ("generic_type", [name, parameters]) => ExprKind::Subscript {
                value: Box::new(self.expression(*name)),
                index: Box::new(self.type_arguments(*parameters)),
            },
            ("union_type", [left, right]) => {
                let left = self.expression(*left);
                let right = self.expression(*right);
                join_union(left, right).kind
            }
            ("member_type", [value, name]) => ExprKind::Attribute {
                value: Box::new(self.expression(*value)),
                name: self.name(*name),
                name_span: self.span(*name),
            },
            ("splat_type", [name]) => ExprKind::Starred(Box::new(self.expression(*name))),
            ("constrained_type", [lower, upper]) => ExprKind::Slice {
                lower: Some(Box::new(self.expression(*lower))),
                upper: Some(Box::new(self.expression(*upper))),
                step: None,
            },
            _ => ExprKind::Error,
        }
    }

    fn type_arguments(&mut self, node: Node<'_>) -> Expr {
        match named(node).as_slice() {
            [one] if !has_comma(node) => self.expression(*one),
            [first, .., last] | [first @ last] => Expr {
                span: self.span_between(first.start_byte(), trailing_end(node, *last)),
                kind: ExprKind::Tuple(self.elements(node)),
            },
            [] => self.error_expression(node),
        }
    }

    /// The names that `[T, *Ts, **P]` introduces.
    pub(super) fn type_params(&mut self, node: Option<Node<'_>>) -> Vec<Name> {
        let Some(node) = node else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for parameter in named(node) {
            // The name is the first identifier: `T: bound`, `*Ts`.
            let mut current = parameter;
            while current.called() != "identifier" {
                match named(current).first() {
                    Some(child) => current = *child,
                    None => break,
                }
            }
            if current.called() == "identifier" {
                names.push(self.name(current));
            }
        }
        names
    }

    /// `a.b.c` where the grammar keeps it as one name (decorators of old, patterns, annotations).
    pub(super) fn dotted_name(&mut self, node: Node<'_>) -> Expr {
        let mut parts = children(node).into_iter().filter(|c| c.called() == "identifier");
        let Some(first) = parts.next() else {
            return self.error_expression(node);
        };
        let mut value = self.expression(first);
        for part in parts {
            value = Expr {
                span: self.span_over(first, part),
                kind: ExprKind::Attribute { value: Box::new(value), name: self.name(part), name_span: self.span(part) },
            };
        }
        value
    }
}

/// `a | (b | c)` as the grammar groups annotations, to `(a | b) | c` as Python does. Parentheses that were written
/// show in the spans: a group in parentheses starts after the expression that it begins.
fn join_union(left: Expr, right: Expr) -> Expr {
    let span = left.span.cover(right.span);
    let kind = match right.kind {
        ExprKind::BinOp { left: first, op: BinaryOp::BitOr, right: last } if first.span.start == right.span.start => {
            ExprKind::BinOp { left: Box::new(join_union(left, *first)), op: BinaryOp::BitOr, right: last }
        }
        kind => ExprKind::BinOp {
            left: Box::new(left),
            op: BinaryOp::BitOr,
            right: Box::new(Expr { kind, span: right.span }),
        },
    };
    Expr { kind, span }
}

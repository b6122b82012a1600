//! Operators: chains of them as Python groups them, and the tables from symbols.

use super::bitwise::{mixed, symbol};
use super::{Kind, Lower, children, field, named};
use crate::ast::{BinaryOp, BoolOp, CompareOp, Expr, ExprKind, UnaryOp};
use tree_sitter::Node;

impl Lower<'_> {
    /// Left-leaning chains (`a + b + c + ...`) are walked, not recursed into, so long sums stay cheap on the stack.
    pub(super) fn binary(&mut self, node: Node<'_>) -> Expr {
        if let Some(regrouped) = self.regrouped(node) {
            return regrouped;
        }
        let mut spine = vec![node];
        let mut leftmost = field(node, "left");
        let mut above = symbol(node);
        while let Some(left) = leftmost.filter(|left| left.called() == "binary_operator") {
            // A chain of `&` has been looked at where it began.
            if above != Some("&") && mixed(left).is_some() {
                break;
            }
            above = symbol(left);
            spine.push(left);
            leftmost = field(left, "left");
        }
        self.deeper_by(spine.len(), node, |lower| {
            let first = leftmost.map(|left| lower.expression(left));
            let first = first.unwrap_or_else(|| lower.error_expression(node));
            spine.into_iter().rev().fold(first, |left, node| lower.binary_link(node, left))
        })
        .unwrap_or_else(|| self.error_expression(node))
    }

    fn binary_link(&mut self, node: Node<'_>, left: Expr) -> Expr {
        let op = field(node, "operator").and_then(|o| binary_op(o.called()));
        let whole = children(node).len() == 3;
        let right = self.expression_field(node, "right");
        let kind = match op {
            Some(op) if whole => ExprKind::BinOp { left: Box::new(left), op, right: Box::new(right) },
            _ => ExprKind::Error,
        };
        Expr { kind, span: self.span(node) }
    }

    pub(super) fn unary(&mut self, node: Node<'_>) -> ExprKind {
        // Recovery may have put a plus in the place of a star that the grammar does not allow there.
        let op = match field(node, "operator").map(|o| self.text(o)) {
            Some("*") => {
                return ExprKind::Starred(Box::new(self.expression_field(node, "argument")));
            }
            Some("-") => UnaryOp::Neg,
            Some("+") => UnaryOp::Pos,
            Some("~") => UnaryOp::Invert,
            _ => return ExprKind::Error,
        };
        ExprKind::UnaryOp { op, operand: Box::new(self.expression_field(node, "argument")) }
    }

    pub(super) fn boolean(&mut self, node: Node<'_>) -> ExprKind {
        let symbol = field(node, "operator").map(|o| o.called());
        let op = match symbol {
            Some("and") => BoolOp::And,
            Some("or") => BoolOp::Or,
            _ => return ExprKind::Error,
        };
        // `a and b and c` leans left in the grammar and is one flat node in Python.
        let mut right = Vec::new();
        let mut current = node;
        let first = loop {
            right.extend(field(current, "right"));
            match field(current, "left") {
                Some(left)
                    if left.called() == "boolean_operator" && field(left, "operator").map(|o| o.called()) == symbol =>
                {
                    current = left;
                }
                other => break other,
            }
        };
        let values = first.into_iter().chain(right.into_iter().rev()).map(|value| self.expression(value)).collect();
        ExprKind::BoolOp { op, values }
    }

    pub(super) fn comparison(&mut self, node: Node<'_>) -> ExprKind {
        let mut operands = Vec::new();
        let mut ops = Vec::new();
        for child in children(node) {
            if child.is_named() && child.called() != "not in" && child.called() != "is not" {
                operands.push(self.expression(child));
            } else {
                match compare_op(child.called()) {
                    Some(op) => ops.push(op),
                    None => return ExprKind::Error,
                }
            }
        }
        if operands.len() != ops.len() + 1 {
            return ExprKind::Error;
        }
        let left = Box::new(operands.remove(0));
        ExprKind::Compare { left, ops, rest: operands }
    }

    pub(super) fn conditional(&mut self, node: Node<'_>) -> ExprKind {
        let parts = named(node);
        let [body, test, orelse] = parts.as_slice() else {
            return ExprKind::Error;
        };
        ExprKind::IfExp {
            test: Box::new(self.expression(*test)),
            body: Box::new(self.expression(*body)),
            orelse: Box::new(self.expression(*orelse)),
        }
    }
}

/// `(*a).b + c` as lowered, to `*(a.b + c)` as meant.
pub(super) fn hoist_star(mut expr: Expr) -> Expr {
    let whole = expr.span;
    let mut current = &mut expr;
    let start = loop {
        let left = match &mut current.kind {
            ExprKind::BinOp { left, .. } => left,
            ExprKind::Call { function, .. } => function,
            ExprKind::Attribute { value, .. } | ExprKind::Subscript { value, .. } => value,
            ExprKind::Starred(_) => break None,
            _ => return expr,
        };
        if let ExprKind::Starred(inner) = &left.kind {
            let inner = (**inner).clone();
            let start = inner.span.start;
            **left = inner;
            break Some(start);
        }
        current = left;
    };
    let Some(start) = start else {
        return expr;
    };
    // Everything down the left edge began at the star.
    let mut current = &mut expr;
    while current.span.start == whole.start {
        current.span.start = start;
        current = match &mut current.kind {
            ExprKind::BinOp { left, .. } => left,
            ExprKind::Call { function, .. } => function,
            ExprKind::Attribute { value, .. } | ExprKind::Subscript { value, .. } => value,
            _ => break,
        };
    }
    Expr { kind: ExprKind::Starred(Box::new(expr)), span: whole }
}

/// `+` to its operator.
pub(crate) fn binary_op(symbol: &str) -> Option<BinaryOp> {
    Some(match symbol {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Sub,
        "*" => BinaryOp::Mult,
        "@" => BinaryOp::MatMult,
        "/" => BinaryOp::Div,
        "//" => BinaryOp::FloorDiv,
        "%" => BinaryOp::Mod,
        "**" => BinaryOp::Pow,
        "<<" => BinaryOp::LShift,
        ">>" => BinaryOp::RShift,
        "|" => BinaryOp::BitOr,
        "^" => BinaryOp::BitXor,
        "&" => BinaryOp::BitAnd,
        _ => return None,
    })
}

fn compare_op(symbol: &str) -> Option<CompareOp> {
    Some(match symbol {
        "==" => CompareOp::Eq,
        "!=" => CompareOp::NotEq,
        "<" => CompareOp::Lt,
        "<=" => CompareOp::LtE,
        ">" => CompareOp::Gt,
        ">=" => CompareOp::GtE,
        "is" => CompareOp::Is,
        "is not" => CompareOp::IsNot,
        "in" => CompareOp::In,
        "not in" => CompareOp::NotIn,
        _ => return None,
    })
}

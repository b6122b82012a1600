//! `a & b ^ c`: the grammar takes `^` before `&`, and Python `&` before `^`. Chains in which both stand are grouped anew.

use super::operator::binary_op;
use super::{Kind, Lower, children, field};
use crate::ast::{BinaryOp, Expr, ExprKind};
use crate::span::Span;
use tree_sitter::Node;

/// An operand, and where it stands with its parentheses.
type Part = (Expr, Span);

/// The operands of a chain after the first, each with the operator before it.
type Links<'t> = Vec<(BinaryOp, Node<'t>)>;

impl Lower<'_> {
    /// A chain of both operators as Python groups it; `None` for every other expression.
    pub(super) fn regrouped(&mut self, node: Node<'_>) -> Option<Expr> {
        let (first, links) = mixed(node)?;
        let whole = self.deeper_by(links.len(), node, |lower| {
            let mut before: Option<Part> = None;
            let mut conjunction = lower.part(first);
            for (op, operand) in links {
                let part = lower.part(operand);
                if op == BinaryOp::BitAnd {
                    conjunction = joined(conjunction, op, part);
                } else {
                    before = Some(after(before, conjunction));
                    conjunction = part;
                }
            }
            after(before, conjunction).0
        });
        Some(whole.unwrap_or_else(|| self.error_expression(node)))
    }

    fn part(&mut self, node: Node<'_>) -> Part {
        (self.expression(node), self.span(node))
    }
}

fn after(before: Option<Part>, part: Part) -> Part {
    match before {
        Some(before) => joined(before, BinaryOp::BitXor, part),
        None => part,
    }
}

fn joined((left, from): Part, op: BinaryOp, (right, to): Part) -> Part {
    let span = from.cover(to);
    (Expr { kind: ExprKind::BinOp { left: Box::new(left), op, right: Box::new(right) }, span }, span)
}

/// The operator of a binary operation that stands in no parentheses.
pub(super) fn symbol(node: Node<'_>) -> Option<&'static str> {
    if node.called() == "binary_operator" { field(node, "operator").map(|operator| operator.called()) } else { None }
}

/// The first operand and the rest of a chain in which both operators stand.
pub(super) fn mixed(node: Node<'_>) -> Option<(Node<'_>, Links<'_>)> {
    // What the grammar took last is on top.
    if symbol(node) != Some("&") {
        return None;
    }
    let mut links = Vec::new();
    let first = flatten(node, &mut links)?;
    links.iter().any(|(op, _)| *op == BinaryOp::BitXor).then_some((first, links))
}

/// Adds the links of a chain, and gives its first operand; `None` where something is missing in it.
fn flatten<'t>(node: Node<'t>, links: &mut Links<'t>) -> Option<Node<'t>> {
    let mut spine = Vec::new();
    let mut first = node;
    while let Some("&" | "^") = symbol(first) {
        if children(first).len() != 3 {
            return None;
        }
        spine.push(first);
        first = field(first, "left")?;
    }
    for link in spine.into_iter().rev() {
        let op = binary_op(symbol(link)?)?;
        let at = links.len();
        let operand = flatten(field(link, "right")?, links)?;
        links.insert(at, (op, operand));
    }
    Some(first)
}

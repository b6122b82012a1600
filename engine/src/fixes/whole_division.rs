//! `grid=(n / block,)`: `n // block` where that is what it comes to, else `pl.cdiv(n, block)`.

use super::{Source, tree};
use pallas_ir::{Edit, Finding, Fix};
use pallas_syntax::ast::{BinaryOp, ExprKind};

/// PL101
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let pallas = tree::module_name(source.module, "jax.experimental.pallas")?;
    let grid = tree::at(source.module, finding.span)?;
    let mut edits = Vec::new();
    tree::each_inside(grid, &mut |expr| {
        let ExprKind::BinOp { left, op: BinaryOp::Div, right } = &expr.kind else { return };
        let (a, b) = (source.text(left.span), source.text(right.span));
        let divides = match (source.integer(left), source.integer(right)) {
            (Some(length), Some(block)) if block != 0 => length % block == 0,
            _ => return,
        };
        let text = if divides { format!("{a} // {b}") } else { format!("{pallas}.cdiv({a}, {b})") };
        edits.push(Edit { span: expr.span, replacement: text });
    });
    let [edit] = edits.as_slice() else { return None };
    Some(Fix::replace(format!("write `{}`", edit.replacement), edit.span, edit.replacement.clone()))
}

//! `x_ref[i * 8:(i + 1) * 8]` with a traced `i`: `x_ref[pl.ds(i * 8, 8)]`.

use super::{Source, tree};
use pallas_ir::{Edit, Finding, Fix};
use pallas_syntax::ast::{BinaryOp, Constant, Expr, ExprKind};

/// PL307
pub(super) fn fix(source: &Source<'_>, finding: &Finding) -> Option<Fix> {
    let pallas = tree::module_name(source.module, "jax.experimental.pallas")?;
    let ExprKind::Subscript { index, .. } = &tree::at(source.module, finding.span)?.kind else { return None };
    let parts: Vec<&Expr> = match &index.kind {
        ExprKind::Tuple(parts) => parts.iter().collect(),
        _ => vec![index],
    };
    let mut edits = Vec::new();
    for part in parts {
        let ExprKind::Slice { lower: Some(lower), upper: Some(upper), step: None } = &part.kind else { continue };
        if is_known(lower) && is_known(upper) {
            continue;
        }
        // A size has to be known.
        let size = length(source, lower, upper).filter(|size| source.integer(size).is_some())?;
        let text = format!("{pallas}.ds({}, {})", source.text(lower.span), source.text(size.span));
        edits.push(Edit { span: part.span, replacement: text });
    }
    (!edits.is_empty()).then(|| Fix { title: format!("write `{pallas}.ds(start, size)`"), edits })
}

fn is_known(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Constant(Constant::Int(_)))
}

/// How many elements lie between two bounds, as the source writes it: `size` of `start:start + size` and of
/// `i * size:(i + 1) * size`.
fn length<'a>(source: &Source<'_>, lower: &'a Expr, upper: &'a Expr) -> Option<&'a Expr> {
    let same = |one: &Expr, other: &Expr| source.text(one.span) == source.text(other.span);
    let is_one = |expr: &Expr| matches!(expr.kind, ExprKind::Constant(Constant::Int(1)));
    let ExprKind::BinOp { left, op, right } = &upper.kind else { return None };
    match op {
        BinaryOp::Add if same(left, lower) => Some(right),
        BinaryOp::Add if same(right, lower) => Some(left),
        BinaryOp::Mult => {
            let ExprKind::BinOp { left: one, op: BinaryOp::Mult, right: other } = &lower.kind else { return None };
            // `(i + 1)` of one side, `i` of the other, and the same size beside both.
            let next = |index: &Expr, next: &Expr| match &next.kind {
                ExprKind::BinOp { left: a, op: BinaryOp::Add, right: b } => {
                    (same(a, index) && is_one(b)) || (same(b, index) && is_one(a))
                }
                _ => false,
            };
            let sides = [(one, other), (other, one)];
            sides.into_iter().find_map(|(index, size)| {
                let fits = (next(index, left) && same(right, size)) || (next(index, right) && same(left, size));
                fits.then_some(&**size)
            })
        }
        _ => None,
    }
}
